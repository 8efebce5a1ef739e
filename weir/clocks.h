// Where a limiter has its time from.
//
//   weir::RateLimiter chat{limit};                              // the machine's own clock
//
//   auto clock = std::make_shared<weir::VirtualClock>();        // a test's clock
//   weir::RateLimiter tested{limit, {.clock = clock}};
//   clock->advance(10s);                                        // ten seconds later, at once
//
// The default never steps: it is the wall clock when it was made, plus the time since boot that has passed
// since. Time that a machine sleeps counts, and setting the wall clock changes nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "weir/outcome.h"

namespace weir {

/// What a clock that is moved by hand rings: a TimerQueue.
class Alarm {
 public:
  virtual ~Alarm() = default;
  /// When something is due next; Time::max() when nothing is: the end of time never comes.
  virtual Time next_due() = 0;
  /// Does what is due at `now`.
  virtual void ring(Time now) = 0;
};

/// All functions are safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Never less than what it has said before.
  virtual Time now() const = 0;
  /// Whether this clock will ring the alarm by itself; who runs by real time says no.
  virtual bool attach(const std::weak_ptr<Alarm>& /*alarm*/) { return false; }
};

/// The machine's clock, as told above. What a limiter uses when it is given none.
std::shared_ptr<Clock> system_clock();

/// Stands still until it is moved.
class VirtualClock : public Clock {
 public:
  /// 2024-01-01T00:00:00Z, so that times look like times.
  static constexpr Time kStart = Time(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));
  explicit VirtualClock(Time start = kStart) : now_(start) {}

  Time now() const override { return now_.load(std::memory_order_acquire); }
  /// Moves ahead, stopping at each instant at which a wait ends, in order; what is due runs on this thread,
  /// before advance returns. One thread at a time; what is due may itself advance, and time never goes back
  /// for that. Stops at the end of Time. Throws std::invalid_argument when `d` is negative.
  void advance(std::chrono::nanoseconds d);
  bool attach(const std::weak_ptr<Alarm>& alarm) override;

 private:
  std::shared_ptr<Alarm> first_due(Time until);
  void reach(Time t);

  std::atomic<Time> now_;
  std::mutex mutex_;  // guards alarms_
  std::vector<std::weak_ptr<Alarm>> alarms_;
};

}  // namespace weir
