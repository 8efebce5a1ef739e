// One bucket by itself, for any number of threads: one atomic word where the limit's state fits one, a latch
// otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/limit/kernel.h"
#include "weir/limiter/one_word.h"
#include "weir/store/spin.h"

namespace weir::limiter {

/// Lets the waits of a verdict on `at` count from an earlier `now`.
void tell_from(Nanos now, Nanos at, Verdict& verdict);

/// No `now` is read as earlier than the latest that has changed the bucket; waits are told from the caller's.
class SingleBucket {
 public:
  /// REQUIRES: !find_error(limit).
  SingleBucket(const Limit& limit, TimeFrame frame);

  /// Every field of `verdict` is written.
  void decide(Nanos now, Ask ask, Verdict& verdict);
  Verdict peek(Nanos now, std::uint64_t cost);
  void refund(Nanos now, std::uint64_t cost);
  void charge(Nanos now, std::uint64_t cost);

 private:
  void decide_latched(Nanos now, Ask ask, Verdict& verdict);
  template <class Change>
  void change(Nanos now, Change change);
  /// Holds latch_, with room for one more entry at `now`.
  void latch_with_room(Nanos now);

  // Read by all and written by none, and so apart from what is written.
  Kernel kernel_;
  std::optional<OneWord> one_word_;

  // On a line of their own, and with them nothing that others write.
  alignas(64) std::atomic<std::uint64_t> word_{0};
  std::atomic<Nanos> latest_;
  store::SpinLatch latch_;
  State state_;
  std::vector<LogEntry> ring_;
  alignas(64) char end_{};
};

// ---- In line, since one compare-and-swap is all that this should cost ----

inline void SingleBucket::decide(Nanos now, Ask ask, Verdict& verdict) {
  if (!one_word_) return decide_latched(now, ask, verdict);
  const Nanos latest = latest_.load(std::memory_order_relaxed);
  const Nanos at = std::max(now, latest);
  // Noted only with a change, so that a denial writes nothing. Two threads may leave the earlier of their
  // times here: then the next is clamped to that one, and the bucket itself still mints nothing.
  if (one_word_->decide(word_, at, ask, verdict) && at > latest) latest_.store(at, std::memory_order_relaxed);
  if (at != now) [[unlikely]]
    tell_from(now, at, verdict);
}

}  // namespace weir::limiter
