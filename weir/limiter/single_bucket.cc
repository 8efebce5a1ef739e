#include "weir/limiter/single_bucket.h"

#include <algorithm>
#include <mutex>

#include "weir/limit/verdict.h"

namespace weir::limiter {

SingleBucket::SingleBucket(const Limit& limit, TimeFrame frame)
    : kernel_(limit, frame),
      one_word_(kernel_.words() == 1 ? std::optional(OneWord(limit, frame)) : std::nullopt),
      latest_(frame.origin) {}

/// Rings are allocated while nothing is latched: nobody spins while the system looks for memory.
void SingleBucket::latch_with_room(Nanos now) {
  for (std::vector<LogEntry> larger;;) {
    latch_.lock();
    if (!kernel_.needs_room(state_, std::max(now, latest_.load(std::memory_order_relaxed)))) return;
    if (larger.size() > ring_.size()) {
      SlidingLog::move_to(state_, larger);
      ring_.swap(larger);
      state_.ring = ring_;
      return;
    }
    const std::size_t wanted = std::max<std::size_t>(8, 2 * ring_.size());
    latch_.unlock();
    larger.resize(wanted);
  }
}

/// `change` says whether it changed something; only then `now` becomes the latest.
template <class Change>
void SingleBucket::change(Nanos now, Change change) {
  if (!one_word_) {
    latch_with_room(now);
    const std::lock_guard held(latch_, std::adopt_lock);
    const Nanos at = std::max(now, latest_.load(std::memory_order_relaxed));
    if (change(state_, at)) latest_.store(at, std::memory_order_relaxed);
    return;
  }
  const Nanos at = std::max(now, latest_.load(std::memory_order_relaxed));
  std::uint64_t word = word_.load(std::memory_order_acquire);
  for (;;) {
    State state{.word = {word, 0, 0}};
    if (!change(state, at)) return;
    if (word_.compare_exchange_weak(word, state.word[0], std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      break;
    }
  }
  latest_.store(at, std::memory_order_relaxed);
}

Verdict SingleBucket::decide(Nanos now, Ask ask) {
  if (one_word_) {
    const OneWord::Answer said = decide_word(now, ask);
    return {.allowed = said.allowed,
            .limit = capacity_of_word(),
            .remaining = said.remaining,
            .retry_after = said.never ? std::nullopt : std::optional(said.retry_after),
            .reset_after = said.reset_after,
            .delay = said.delay};
  }
  Verdict verdict;
  change(now, [&](State& state, Nanos at) {
    verdict = kernel_.decide(state, at, ask);
    tell_from(now, at, verdict);
    return ask.cost != 0 && (verdict.allowed || ask.charge_denied);
  });
  return verdict;
}

Verdict SingleBucket::peek(Nanos now, std::uint64_t cost) {
  Verdict verdict;
  if (one_word_) {
    const Nanos at = std::max(now, latest_.load(std::memory_order_relaxed));
    const State state{.word = {word_.load(std::memory_order_acquire), 0, 0}};
    verdict = kernel_.peek(state, at, cost);
    tell_from(now, at, verdict);
    return verdict;
  }
  const std::lock_guard held(latch_);
  const Nanos at = std::max(now, latest_.load(std::memory_order_relaxed));
  verdict = kernel_.peek(state_, at, cost);
  tell_from(now, at, verdict);
  return verdict;
}

void SingleBucket::refund(Nanos now, std::uint64_t cost) {
  change(now, [&](State& state, Nanos at) {
    // A bucket that is as good as new has nothing to be given back.
    if (cost == 0 || kernel_.peek(state, at, 0).reset_after == 0) return false;
    kernel_.refund(state, at, cost);
    return true;
  });
}

void SingleBucket::give_back(Nanos now, std::uint64_t cost, const Charge& from) {
  change(now, [&](State& state, Nanos at) {
    kernel_.give_back(state, at, cost, from);
    return true;
  });
}

void SingleBucket::charge(Nanos now, std::uint64_t cost) {
  change(now, [&](State& state, Nanos at) {
    kernel_.charge(state, at, cost);
    return cost != 0;
  });
}

}  // namespace weir::limiter
