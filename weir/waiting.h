// Waiting for a limiter: with a deadline, and with a way to call it off.
//
//   if (chat.acquire("mira", {.within = 2s})) send();                        // blocks this thread
//   chat.acquire_then("mira", {.stop = token}, [](weir::Waited w) { … });    // calls back
//   weir::Waited w = co_await chat.acquire_async("mira", {.within = 2s});    // suspends this coroutine
//
// Those who wait for one bucket are served in the order in which they came; check() does not queue, and may
// take what they wait for. A wait that ends otherwise than admitted has charged nothing. For a leaky_bucket
// the wait is the delay: it ends when the request's turn has come.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>

#include "weir/key.h"
#include "weir/outcome.h"

namespace weir {

struct WaitOptions {
  Cost cost{1};
  /// How long to wait at the most. Where what is needed can't be there in time, the answer is given at once.
  std::chrono::nanoseconds within = std::chrono::nanoseconds::max();
  /// Calls the wait off.
  std::stop_token stop = {};
};

enum class WaitEnd : std::uint8_t {
  admitted,
  /// No wait is long enough: a cost above the capacity, or a quota of 0.
  never,
  /// Not within the time given.
  too_late,
  /// The stop token said so.
  cancelled,
  /// The limiter was destroyed.
  closed,
};

struct [[nodiscard]] Waited {
  WaitEnd end = WaitEnd::closed;
  /// What the bucket last said to it; where it was not asked, a denial for ever.
  Outcome outcome;

  bool admitted() const { return end == WaitEnd::admitted; }
  explicit operator bool() const { return admitted(); }
};

/// Runs on the thread that ends the wait: the timer's, the one that asked for a stop, or the caller's own
/// before acquire_then has returned; any call on the limiter or on a reservation of it may end waits too.
/// Must not throw, and must not block: others wait for that thread. May destroy the limiter, unless it runs
/// inside of a check, peek, refund, charge or reserve of that limiter, which still needs it.
using WaitDone = std::function<void(Waited)>;

/// What acquire_async gives; to be awaited at once and once. The coroutine goes on where WaitDone would run.
class [[nodiscard]] Acquisition {
 public:
  using Begin = std::function<void(WaitDone)>;
  explicit Acquisition(Begin begin) : begin_(std::move(begin)) {}
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    begin_([this, coroutine](const Waited& waited) {
      waited_ = waited;
      if (phase_.exchange(Phase::done, std::memory_order_acq_rel) == Phase::suspended) coroutine.resume();
    });
    // Done already, here or on another thread: then nobody resumes us, and we do not suspend.
    return phase_.exchange(Phase::suspended, std::memory_order_acq_rel) != Phase::done;
  }
  Waited await_resume() const { return waited_; }

 private:
  enum class Phase : std::uint8_t { beginning, suspended, done };
  Begin begin_;
  Waited waited_;
  std::atomic<Phase> phase_{Phase::beginning};
};

}  // namespace weir
