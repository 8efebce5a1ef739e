// The generic cell rate algorithm (ITU-T I.371, virtual scheduling), the one kernel behind token_bucket, gcra
// and leaky_bucket.
//
// A bucket is one number, its theoretical arrival time (TAT): the instant at which it is full again. A
// request of cost n moves it n intervals of T = per / quota ahead, and is admitted if it then lies at most
// capacity * T ahead of now.
//
//        now            TAT            now + capacity * T
//   ------|--------------|------------------|------> time
//         |<---- used -->|<-- remaining --->|
//
// T is a rational number. Reduced to p / d nanoseconds, every quantity is a whole number of 1/d ns, and that
// is how we count: T is exactly p, and nothing is ever rounded on its way into the state. Where the TAT,
// counted from the frame's origin, fits 63 bits, the state is one word; otherwise two.
#pragma once

#include <cstdint>

#include "weir/base/wide.h"
#include "weir/limit/state.h"
#include "weir/limit/verdict.h"

namespace weir {

class Gcra {
 public:
  /// A quota of 0 makes a bucket that admits nothing.
  /// REQUIRES: find_error() has nothing against the limit these come from.
  Gcra(std::uint64_t quota, Nanos per, std::uint64_t capacity, TimeFrame frame);

  /// The state is word[0] alone, with its highest bit clear, and a one-word store may use that bit.
  bool one_word() const { return one_word_; }

  /// Decides and charges. The delay of the verdict is the wait for the interval that the request begins in.
  Verdict decide(State& state, Nanos now, Ask ask) const;
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Gives back at most what is used at `now`.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Takes `cost` whatever is left, into debt of at most one capacity.
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  /// Whether the state at `now` can't be told from one that was never used.
  bool fresh(const State& state, Nanos now) const;
  /// Turns the state of a bucket under `old` into one that has used as many units under this limit.
  void carry(const Gcra& old, State& state, Nanos now) const;

 private:
  template <class Word>
  Verdict decide_in(Word& tat, Word now, Ask ask) const;
  template <class Word>
  Verdict report(Word tat, Word now, std::uint64_t cost, bool allowed) const;
  template <class Word>
  Word scaled(Nanos now) const;
  Wide load(const State& state) const;
  void save(State& state, Wide tat) const;

  TimeFrame frame_;
  std::uint64_t scale_ = 1;     // d: units per nanosecond
  std::uint64_t interval_ = 0;  // p: T in units
  std::uint64_t capacity_ = 0;
  Wide span_ = 0;  // capacity * T in units
  bool one_word_ = true;
};

}  // namespace weir
