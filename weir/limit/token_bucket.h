// Token bucket: bursts up to `burst`, mean rate quota / per. In any span T at most burst + quota * T / per
// are admitted, which is up to 2 * quota - 1 in one period when burst equals quota. `gcra` is the same law
// told as a theoretical arrival time: the same code.
#pragma once

#include "weir/limit/gcra.h"
#include "weir/limit/limit.h"

namespace weir {

class TokenBucket {
 public:
  /// REQUIRES: !find_error(limit).
  TokenBucket(const Limit& limit, TimeFrame frame)
      : gcra_(limit.quota, std::get<Nanos>(limit.per), capacity(limit), frame) {}

  unsigned words() const { return gcra_.one_word() ? 1 : 2; }
  Verdict decide(State& state, Nanos now, Ask ask) const { return undelayed(gcra_.decide(state, now, ask)); }
  /// REQUIRES: words() == 1.
  [[gnu::always_inline]] void decide_word(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const {
    gcra_.decide_word(word, now, ask, verdict);
    verdict.delay = 0;
  }
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const {
    return undelayed(gcra_.peek(state, now, cost));
  }
  void refund(State& state, Nanos now, std::uint64_t cost) const { gcra_.refund(state, now, cost); }
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
    gcra_.give_back(state, now, cost, from);
  }
  void charge(State& state, Nanos now, std::uint64_t cost) const { gcra_.charge(state, now, cost); }
  bool fresh(const State& state, Nanos now) const { return gcra_.fresh(state, now); }
  void carry(const TokenBucket& old, State& state, Nanos now) const { gcra_.carry(old.gcra_, state, now); }

 private:
  static Verdict undelayed(Verdict verdict) {
    verdict.delay = 0;
    return verdict;
  }

  Gcra gcra_;
};

}  // namespace weir
