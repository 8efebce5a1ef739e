// A bucket of one word, decided by one compare-and-swap: the law of weir/limit/gcra.h once more, told apart
// from its report.
//
// Gcra::decide_word works out the whole verdict before the swap, and an admission then takes 2.6 times as
// long as a bare compare-and-swap. Here only the next word is worked out before it, and the report after
// it: 1.1 times (bench/limiter_bench.cc). The words are Gcra's own, so that all but deciding is left to it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>

#include "weir/limit/limit.h"
#include "weir/limit/state.h"
#include "weir/limit/verdict.h"

namespace weir::limiter {

class OneWord {
 public:
  /// REQUIRES: Gcra has one_word() for this limit and frame.
  OneWord(const Limit& limit, TimeFrame frame)
      : origin_(frame.origin),
        horizon_(static_cast<std::uint64_t>(frame.horizon)),
        capacity_(capacity(limit)),
        delays_(limit.algorithm == Algorithm::leaky_bucket) {
    if (capacity_ == 0) return;
    const auto per = static_cast<std::uint64_t>(std::get<Nanos>(limit.per));
    const std::uint64_t divisor = std::gcd(limit.quota, per);
    scale_ = limit.quota / divisor;
    interval_ = per / divisor;
    span_ = capacity_ * interval_;
  }

  /// What Verdict says, but for the capacity.
  struct Answer {
    bool allowed = false;
    /// Denied: no wait will do.
    bool never = false;
    /// Whether the word has another value now.
    bool changed = false;
    std::uint64_t remaining = 0;
    Nanos retry_after = 0;
    Nanos reset_after = 0;
    Nanos delay = 0;
  };

  std::uint64_t capacity_in_units() const { return capacity_; }

  /// Decides and charges. Writes `word` only if its value changes.
  [[gnu::always_inline]] Answer decide(std::atomic<std::uint64_t>& word, Nanos now, Ask ask) const {
    if (capacity_ == 0) return {.allowed = false, .never = true};
    const std::uint64_t instant = scaled(now);
    std::uint64_t tat = word.load(std::memory_order_acquire);
    for (;;) {
      const Step step = next(tat, instant, ask);
      const bool changes = step.tat != tat;
      if (!changes ||
          word.compare_exchange_weak(tat, step.tat, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return report(tat, step, instant, ask.cost, changes);
      }
    }
  }

 private:
  struct Step {
    std::uint64_t tat;
    bool allowed;
  };

  std::uint64_t scaled(Nanos now) const {
    // As unsigned numbers, so that a frame that begins before 1970 has no overflow either.
    const std::uint64_t since =
        now <= origin_ ? 0 : static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(origin_);
    return std::min(since, horizon_) * scale_;
  }

  [[gnu::always_inline]] Step next(std::uint64_t tat, std::uint64_t now, Ask ask) const {
    // Cost 0 asks for nothing: in debt it is admitted all the same.
    if (ask.cost == 0) return {tat, true};
    const std::uint64_t begin = std::max(tat, now);
    if (ask.cost <= capacity_) {
      const std::uint64_t end = begin + ask.cost * interval_;
      if (end <= now + span_) return {end, true};
    }
    if (!ask.charge_denied) return {tat, false};
    // Into debt of at most one capacity. Costs beyond twice the capacity come to the same.
    const std::uint64_t most = now + 2 * span_;
    const std::uint64_t wanted = begin + std::min(ask.cost, 2 * capacity_) * interval_;
    return {std::max(tat, std::min(wanted, most)), false};
  }

  [[gnu::always_inline]] Answer report(std::uint64_t before, Step step, std::uint64_t now, std::uint64_t cost,
                                       bool changed) const {
    const std::uint64_t used = step.tat > now ? step.tat - now : 0;
    Answer answer{.allowed = step.allowed, .changed = changed};
    answer.remaining = used < span_ ? (span_ - used) / interval_ : 0;
    answer.reset_after = nanos_up(used);
    if (step.allowed) {
      answer.delay = delays_ && before > now ? nanos_up(before - now) : 0;
      return answer;
    }
    answer.never = cost > capacity_;
    const std::uint64_t end = std::max(step.tat, now) + std::min(cost, capacity_) * interval_;
    answer.retry_after = nanos_up(end > now + span_ ? end - now - span_ : 0);
    return answer;
  }

  /// Whole nanoseconds, rounded up.
  Nanos nanos_up(std::uint64_t units) const {
    // Most rates have whole intervals: a branch that is always the same spares them a division.
    if (scale_ == 1) return static_cast<Nanos>(units);
    return static_cast<Nanos>(units / scale_ + (units % scale_ != 0 ? 1 : 0));
  }

  Nanos origin_;
  std::uint64_t horizon_;
  std::uint64_t scale_ = 1;     // units per nanosecond
  std::uint64_t interval_ = 0;  // of one unit of cost
  std::uint64_t capacity_;
  std::uint64_t span_ = 0;  // capacity_ * interval_; with debt and the horizon, it all fits 63 bits
  bool delays_;
};

}  // namespace weir::limiter
