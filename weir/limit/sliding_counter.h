// Sliding counter: two counters, the previous one weighted by the share of it that the trailing window still
// covers. A request is admitted when previous * (1 - elapsed / per) + current + cost <= quota, compared
// without dividing. Small and smooth, and an estimate: at most 2 * quota - 1 in a trailing window at worst,
// close to the quota on traffic that is even within a window; and a burst at the start of the previous window
// weighs on after it has left.
#pragma once

#include "weir/base/wide.h"
#include "weir/limit/charge.h"
#include "weir/limit/limit.h"
#include "weir/limit/state.h"
#include "weir/limit/verdict.h"

namespace weir {

class SlidingCounter {
 public:
  /// REQUIRES: !find_error(limit).
  explicit SlidingCounter(const Limit& limit) : quota_(limit.quota), per_(std::get<Nanos>(limit.per)) {}

  unsigned words() const { return 3; }
  Verdict decide(State& state, Nanos now, Ask ask) const;
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back from the current window only.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back from the window that `from` was charged in, as long as that is the current or the previous.
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const;
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  bool fresh(const State& state, Nanos now) const;
  void carry(const SlidingCounter& old, State& state, Nanos now) const;

 private:
  // The state: word[0] is the start of the current window (by word_of), word[1] the previous window's count,
  // word[2] the current's.
  struct Counts {
    Nanos start;
    Nanos elapsed;  // of the current window, at the instant that decides
    std::uint64_t previous;
    std::uint64_t current;
  };
  Counts load(const State& state, Nanos now) const;
  static void save(State& state, const Counts& counts);
  static void take_off(State& state, Counts& counts, std::uint64_t& count, std::uint64_t cost);
  bool is_before(Nanos start, Nanos next) const;
  /// The estimate times per.
  Wide weighted(const Counts& counts) const;
  bool admits(const Counts& counts, std::uint64_t cost) const;
  std::optional<Nanos> wait_for(const Counts& counts, std::uint64_t cost) const;
  Verdict report(const Counts& counts, Nanos now, std::uint64_t cost, bool allowed) const;

  std::uint64_t quota_;
  Nanos per_;
};

}  // namespace weir
