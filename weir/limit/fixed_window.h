// Fixed window: a counter per window, aligned to the Unix epoch in UTC or to the calendar. At most quota in
// each window, and so up to 2 * quota across an edge between two. A charge beyond the quota makes the rest of
// its window deny, and passes with it.
#pragma once

#include "weir/limit/charge.h"
#include "weir/limit/limit.h"
#include "weir/limit/state.h"
#include "weir/limit/verdict.h"

namespace weir {

/// Where `now` stands in [k * per, (k + 1) * per), counted from the epoch.
struct WindowPosition {
  Nanos start;    // cut at the beginning of time
  Nanos elapsed;  // 0 <= elapsed < per
};
WindowPosition position_in_window(Nanos now, Nanos per);

class FixedWindow {
 public:
  /// REQUIRES: !find_error(limit).
  explicit FixedWindow(const Limit& limit) : quota_(limit.quota), per_(limit.per) {}

  unsigned words() const { return 2; }
  Verdict decide(State& state, Nanos now, Ask ask) const;
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back from the current window, and from no other: once a window has passed, what it counted is
  /// gone, and so is what could be given back of it.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back from the current window, if that is the one that `from` was charged in.
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const;
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  bool fresh(const State& state, Nanos now) const;
  void carry(const FixedWindow& old, State& state, Nanos now) const;

 private:
  // The state: word[0] is the start of the window that was last charged (by word_of), word[1] what it
  // has admitted.
  struct Count {
    Nanos start;
    Nanos left;  // of the window, from the caller's now
    std::uint64_t used;
  };
  Count fresh_count(Nanos now) const;
  Count load(const State& state, Nanos now) const;
  static void save(State& state, const Count& count);
  Verdict report(const Count& count, std::uint64_t cost, bool allowed) const;
  bool admits(const Count& count, std::uint64_t cost) const;

  std::uint64_t quota_;
  std::variant<Nanos, Calendar> per_;
};

}  // namespace weir
