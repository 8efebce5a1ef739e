// Leaky bucket as a queue: departures are spaced per / quota apart, at most `burst` wait beyond the one that
// leaves, and each caller is told its delay. It shapes where a token bucket meters: after an idle hour two
// callers at once still leave one interval apart. Whom it admits is what a token bucket of capacity burst + 1
// admits.
#pragma once

#include "weir/limit/gcra.h"
#include "weir/limit/limit.h"

namespace weir {

class LeakyBucket {
 public:
  /// REQUIRES: !find_error(limit).
  LeakyBucket(const Limit& limit, TimeFrame frame)
      : gcra_(limit.quota, std::get<Nanos>(limit.per), capacity(limit), frame) {}

  unsigned words() const { return gcra_.one_word() ? 1 : 2; }
  /// A cost of n takes n places in the queue and leaves at the first of them.
  Verdict decide(State& state, Nanos now, Ask ask) const { return gcra_.decide(state, now, ask); }
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const {
    return gcra_.peek(state, now, cost);
  }
  void refund(State& state, Nanos now, std::uint64_t cost) const { gcra_.refund(state, now, cost); }
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
    gcra_.give_back(state, now, cost, from);
  }
  void charge(State& state, Nanos now, std::uint64_t cost) const { gcra_.charge(state, now, cost); }
  bool fresh(const State& state, Nanos now) const { return gcra_.fresh(state, now); }
  void carry(const LeakyBucket& old, State& state, Nanos now) const { gcra_.carry(old.gcra_, state, now); }

 private:
  Gcra gcra_;
};

}  // namespace weir
