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

/// No `now` is read as earlier than the latest that has changed the bucket; waits are told from the caller's.
class SingleBucket {
 public:
  /// REQUIRES: !find_error(limit).
  SingleBucket(const Limit& limit, TimeFrame frame);

  Verdict decide(Nanos now, Ask ask);
  bool is_one_word() const { return one_word_.has_value(); }
  /// The same without a Verdict, in line. REQUIRES: is_one_word().
  OneWord::Answer decide_word(Nanos now, Ask ask);
  std::uint64_t capacity_of_word() const { return one_word_->capacity_in_units(); }

  Verdict peek(Nanos now, std::uint64_t cost);
  void refund(Nanos now, std::uint64_t cost);
  void give_back(Nanos now, std::uint64_t cost, const Charge& from);
  void charge(Nanos now, std::uint64_t cost);

 private:
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

[[gnu::always_inline]] inline OneWord::Answer SingleBucket::decide_word(Nanos now, Ask ask) {
  const Nanos latest = latest_.load(std::memory_order_relaxed);
  const Nanos at = std::max(now, latest);
  OneWord::Answer answer = one_word_->decide(word_, at, ask);
  // Noted only with a change, so that a denial writes nothing. Two threads may leave the earlier of their
  // times here: then the next is clamped to that one, and the bucket itself still mints nothing.
  if (answer.changed && at > latest) latest_.store(at, std::memory_order_relaxed);
  if (at == now) [[likely]]
    return answer;
  const Nanos ahead = saturating_sub(at, now);
  if (answer.reset_after != 0) answer.reset_after = saturating_add(answer.reset_after, ahead);
  if (!answer.allowed) answer.retry_after = saturating_add(answer.retry_after, ahead);
  return answer;
}

}  // namespace weir::limiter
