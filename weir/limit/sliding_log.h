// Sliding log: the time of each admission. At most quota in any trailing window (now - per, now], exactly, at
// the price of an entry per admission. Denied requests leave no entry unless they are charged.
#pragma once

#include <span>

#include "weir/limit/charge.h"
#include "weir/limit/limit.h"
#include "weir/limit/state.h"
#include "weir/limit/verdict.h"

namespace weir {

class SlidingLog {
 public:
  /// REQUIRES: !find_error(limit).
  explicit SlidingLog(const Limit& limit) : quota_(limit.quota), per_(std::get<Nanos>(limit.per)) {}

  unsigned words() const { return 3; }
  /// Whether a charge at `now` could need an entry more than the ring has once what has left the window is
  /// dropped.
  bool needs_room(const State& state, Nanos now) const;
  /// Lends the state a larger ring. The old one can be taken back. REQUIRES: ring.size() >= entries in use.
  static void move_to(State& state, std::span<LogEntry> ring);

  /// REQUIRES (decide and charge): !needs_room(state, now).
  Verdict decide(State& state, Nanos now, Ask ask) const;
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back the latest admissions that are still in the window.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Takes back the admissions of the instant of `from`, up to `cost` of them. Takes a step for each entry
  /// that came after.
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const;
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  bool fresh(const State& state, Nanos now) const;
  void carry(const SlidingLog& old, State& state, Nanos now) const;

 private:
  // The state: word[0] is where in the ring the oldest entry is (its upper half) and how many there are (its
  // lower half), word[1] the latest instant that has changed it (by word_of), word[2] the total before the
  // oldest.
  void drop_expired(State& state, Nanos now) const;
  Verdict report(const State& state, Nanos now, std::uint64_t cost, bool allowed) const;
  std::optional<Nanos> wait_for(const State& state, Nanos now, std::uint64_t cost) const;
  Nanos until_expiry(Nanos time, Nanos now) const;
  bool admits(std::uint64_t in_window, std::uint64_t cost) const;
  static void append(State& state, Nanos now, std::uint64_t units);

  std::uint64_t quota_;
  Nanos per_;
};

}  // namespace weir
