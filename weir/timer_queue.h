// Who waits for a moment, without a thread that sleeps for each.
//
//   auto timers = std::make_shared<weir::TimerQueue>();      // one thread, for any number of waits
//   weir::RateLimiter a{limit_a, {.timers = timers}};
//   weir::RateLimiter b{limit_b, {.timers = timers}};        // shares it
//
// A limiter that is given none makes its own when somebody first waits. On a VirtualClock there is no thread:
// what is due runs inside of VirtualClock::advance.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "weir/clocks.h"

namespace weir {

/// Names what was scheduled; 0 names nothing.
enum class TimerId : std::uint64_t {};

/// All functions are safe from any thread.
class TimerQueue {
 public:
  /// Throws std::invalid_argument for a null clock.
  explicit TimerQueue(std::shared_ptr<Clock> clock = system_clock());
  /// What has not run yet never will. Waits for what is running, unless that is what destroys it.
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  /// Calls `action` once, at `when` or as soon after it as can be; at once where that has passed, though
  /// never before schedule() has returned to the timer's thread. Those of one instant run in the order in
  /// which they came. Actions run one at a time, with nothing locked; one that takes long holds up the
  /// others. An action must not throw.
  TimerId schedule(Time when, std::function<void()> action);
  /// Says whether it was in time. An action that is running is not waited for.
  bool cancel(TimerId id);

  const std::shared_ptr<Clock>& clock() const { return clock_; }

 private:
  class Heap;
  std::shared_ptr<Clock> clock_;
  std::shared_ptr<Heap> heap_;
};

}  // namespace weir
