// Waiting for a limiter: with a deadline, and with a way to call it off.
//
//   if (chat.acquire("mira", {.within = 2s})) send();                        // blocks this thread
//   chat.acquire_then("mira", {.stop = token}, [](weir::Waited w) { … });    // calls back
//   weir::Waited w = co_await chat.acquire_async("mira", {.within = 2s});    // suspends this coroutine
//
// Those who wait for one bucket are served in the order in which they came; check() does not queue, and may
// take what they wait for. A wait that ends otherwise than admitted has charged nothing, whatever denials are
// charged elsewhere (charge_denied, shadows, `charging: each`).
//
// For a leaky_bucket the wait is the delay: it ends when the request's turn has come. Who is called off
// before gives up the place in the queue, and those behind move up. Where that can't be it stays empty: with
// someone behind it who was told a delay by check() and does not wait here, and in a policy with anyone
// behind it.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "weir/key.h"
#include "weir/outcome.h"

namespace weir {

struct WaitOptions {
  Cost cost{1};
  /// How long to wait at the most. Where what is needed can't be there in time, even if nobody else waited,
  /// the answer is given at once.
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
  /// What the bucket last said to it; a denial for ever where it was not asked, or only others who wait were
  /// in its way.
  Outcome outcome;

  bool admitted() const { return end == WaitEnd::admitted; }
  explicit operator bool() const { return admitted(); }
};

/// Runs on the thread that ends the wait: the timer's, the one that asked for a stop, or the caller's own
/// before acquire_then has returned; any call on the limiter or on a reservation of it may end waits too.
/// Must not throw, and must not block: others wait for that thread. May wait again, which may be answered
/// inside of that call: a chain of such answers is as deep as it is long. May destroy the limiter, unless it
/// runs inside of a check, peek, refund, charge, reserve or reload of that limiter, which still needs it.
using WaitDone = std::function<void(Waited)>;

/// What acquire_async gives; to be awaited at once and once. The coroutine goes on where WaitDone would run.
/// A coroutine that is destroyed while it is suspended here calls its wait off. Who destroys it has to know
/// that it is suspended: as with any coroutine, not while it may just be going on, on another thread.
class [[nodiscard]] Acquisition {
 public:
  /// Begins the wait, which the token calls off.
  using Begin = std::function<void(std::stop_token, WaitDone)>;
  Acquisition(std::stop_token stop, Begin begin) : stop_(std::move(stop)), begin_(std::move(begin)) {}
  ~Acquisition() {
    if (shared_->phase.exchange(Phase::abandoned, std::memory_order_acq_rel) == Phase::suspended) {
      shared_->stop.request_stop();
    }
  }
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    // The copy lives on while it is called, though the coroutine may end, and this with it, inside of the
    // call.
    const auto call_off = [shared = shared_] { std::shared_ptr(shared)->stop.request_stop(); };
    if (stop_.stop_possible()) on_stop_.emplace(stop_, call_off);
    begin_(shared_->stop.get_token(), [shared = shared_, coroutine](const Waited& waited) {
      shared->waited = waited;
      // Only if it is suspended, and still there.
      if (shared->phase.exchange(Phase::done, std::memory_order_acq_rel) == Phase::suspended)
        coroutine.resume();
    });
    // Done already, here or on another thread: then nobody resumes us, and we do not suspend.
    Phase beginning = Phase::beginning;
    return shared_->phase.compare_exchange_strong(beginning, Phase::suspended, std::memory_order_acq_rel);
  }
  Waited await_resume() const { return shared_->waited; }

 private:
  enum class Phase : std::uint8_t { beginning, suspended, done, abandoned };
  /// Outlives the coroutine where the wait does.
  struct Shared {
    std::atomic<Phase> phase{Phase::beginning};
    Waited waited;
    std::stop_source stop;
  };

  std::stop_token stop_;
  Begin begin_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace weir
