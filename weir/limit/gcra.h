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

#include <algorithm>
#include <cstdint>

#include "weir/base/wide.h"
#include "weir/limit/charge.h"
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
  /// The same for a state of one word, in line: what a store does millions of times a second. Every field of
  /// `verdict` is written. REQUIRES: one_word().
  [[gnu::always_inline]] void decide_word(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const {
    const auto instant = scaled<std::uint64_t>(now);
    const std::uint64_t begin = std::max(word, instant);
    const std::uint64_t end = begin + ask.cost * interval_;
    // What nearly all requests are. The product is right where the cost is within the capacity.
    if (ask.cost - 1 < capacity_ && end <= instant + static_cast<std::uint64_t>(span_)) [[likely]] {
      word = end;
      report(end, instant, ask.cost, true, verdict);
      verdict.delay = nanos_up(begin - instant);
    } else {
      decide_otherwise(word, now, ask, verdict);
    }
  }
  Verdict peek(const State& state, Nanos now, std::uint64_t cost) const;
  /// Gives back at most what is used at `now`.
  void refund(State& state, Nanos now, std::uint64_t cost) const;
  /// Gives back what of `from`, down to all but `cost` of it, would still weigh if the bucket had been full
  /// before it and nothing else had come: never more than it weighs among others, so that nothing is minted
  /// whatever else comes or goes back. In time, not in whole units, and so without rounding.
  void give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const;
  /// Takes `cost` whatever is left, into debt of at most one capacity.
  void charge(State& state, Nanos now, std::uint64_t cost) const;
  /// Whether the state at `now` can't be told from one that was never used.
  bool fresh(const State& state, Nanos now) const;
  /// Turns the state of a bucket under `old` into one that has used as many units under this limit.
  void carry(const Gcra& old, State& state, Nanos now) const;

 private:
  static constexpr Verdict admits_nothing() { return {.allowed = false, .retry_after = std::nullopt}; }
  void decide_otherwise(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const;
  template <class Word>
  void decide_in(Word& tat, Word now, Ask ask, Verdict& verdict) const;
  template <class Word>
  void report(Word tat, Word now, std::uint64_t cost, bool allowed, Verdict& verdict) const;
  /// `now` in units since the frame's origin.
  template <class Word>
  Word scaled(Nanos now) const;
  /// Whole nanoseconds, rounded up.
  template <class Word>
  Nanos nanos_up(Word units) const;
  template <class Word>
  static Word above(Word a, Word b) {
    return a > b ? a - b : 0;
  }
  Wide load(const State& state) const;
  /// What a cost takes, in units of time; no more than what is owed at the most.
  Wide span_of(std::uint64_t cost) const;
  /// Moves the TAT back by `given`, to no earlier than `instant`.
  void take_off(State& state, Wide instant, Wide given) const;
  void save(State& state, Wide tat) const;

  TimeFrame frame_;
  std::uint64_t scale_ = 1;     // d: units per nanosecond
  std::uint64_t interval_ = 0;  // p: T in units
  std::uint64_t capacity_ = 0;
  Wide span_ = 0;  // capacity * T in units
  bool one_word_ = true;
};

template <class Word>
Word Gcra::scaled(Nanos now) const {
  // As unsigned numbers, so that a frame that begins before 1970 has no overflow either.
  const std::uint64_t since =
      now <= frame_.origin ? 0 : static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(frame_.origin);
  return Word{std::min(since, static_cast<std::uint64_t>(frame_.horizon))} * scale_;
}

template <class Word>
Nanos Gcra::nanos_up(Word units) const {
  // More than there are can only come of a `now` that has stepped back by centuries.
  constexpr Word kMost = static_cast<std::uint64_t>(kForever);
  // Most rates have intervals of whole nanoseconds: a branch that is always the same spares them a division.
  if (scale_ == 1) return static_cast<Nanos>(std::min(units, kMost));
  const Word whole = units / scale_;
  const Word rounded = whole + (whole * scale_ != units ? 1 : 0);
  return static_cast<Nanos>(std::min(rounded, kMost));
}

template <class Word>
[[gnu::always_inline]] inline void Gcra::report(Word tat, Word now, std::uint64_t cost, bool allowed,
                                                Verdict& verdict) const {
  const Word span = static_cast<Word>(span_);
  const Word used = above(tat, now);
  verdict.allowed = allowed;
  verdict.limit = capacity_;
  verdict.remaining = static_cast<std::uint64_t>(above(span, used) / interval_);
  verdict.retry_after = 0;
  verdict.reset_after = nanos_up(used);
  verdict.delay = 0;
  if (allowed) return;
  if (cost > capacity_) {
    verdict.retry_after = std::nullopt;
  } else {
    verdict.retry_after = nanos_up(above<Word>(std::max(tat, now) + Word{cost} * interval_, now + span));
  }
}

}  // namespace weir
