#include "weir/limit/gcra.h"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

/// The state's highest bit is left to the store.
constexpr Wide kOneWordEnd = Wide{1} << 63U;

/// Whole nanoseconds, rounded up. More than there are can only come of a `now` that has stepped back by
/// centuries.
template <class Word>
Nanos nanos_up(Word units, std::uint64_t scale) {
  const Word whole = units / scale;
  const Word rounded = whole + (whole * scale != units ? 1 : 0);
  return static_cast<Nanos>(std::min<Word>(rounded, static_cast<std::uint64_t>(kForever)));
}

template <class Word>
Word above(Word a, Word b) {
  return a > b ? a - b : 0;
}

}  // namespace

Gcra::Gcra(std::uint64_t quota, Nanos per, std::uint64_t capacity, TimeFrame frame)
    : frame_(frame), capacity_(quota == 0 ? 0 : capacity) {
  if (capacity_ == 0) return;
  const std::uint64_t divisor = std::gcd(quota, static_cast<std::uint64_t>(per));
  scale_ = quota / divisor;
  interval_ = static_cast<std::uint64_t>(per) / divisor;
  span_ = Wide{capacity_} * interval_;
  // The largest TAT there can be: the end of the frame, the capacity used up, and as much again in debt.
  one_word_ = Wide(static_cast<std::uint64_t>(frame_.horizon)) * scale_ + 2 * span_ < kOneWordEnd;
}

template <class Word>
Word Gcra::scaled(Nanos now) const {
  // As unsigned numbers, so that a frame that begins before 1970 has no overflow either.
  const std::uint64_t since =
      now <= frame_.origin ? 0 : static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(frame_.origin);
  return Word{std::min(since, static_cast<std::uint64_t>(frame_.horizon))} * scale_;
}

Wide Gcra::load(const State& state) const {
  return one_word_ ? Wide{state.word[0]} : Wide{state.word[1]} << 64U | state.word[0];
}

void Gcra::save(State& state, Wide tat) const {
  state.word[0] = static_cast<std::uint64_t>(tat);
  if (!one_word_) state.word[1] = static_cast<std::uint64_t>(tat >> 64U);
}

template <class Word>
Verdict Gcra::report(Word tat, Word now, std::uint64_t cost, bool allowed) const {
  const Word span = static_cast<Word>(span_);
  const Word used = above(tat, now);
  Verdict verdict{.allowed = allowed, .limit = capacity_};
  verdict.remaining = static_cast<std::uint64_t>(above(span, used) / interval_);
  verdict.reset_after = nanos_up(used, scale_);
  if (allowed) return verdict;
  if (cost > capacity_) {
    verdict.retry_after = std::nullopt;
  } else {
    verdict.retry_after =
        nanos_up(above<Word>(std::max(tat, now) + Word{cost} * interval_, now + span), scale_);
  }
  return verdict;
}

template <class Word>
Verdict Gcra::decide_in(Word& tat, Word now, Ask ask) const {
  const Word span = static_cast<Word>(span_);
  const Word begin = std::max(tat, now);
  // Cost 0 asks for nothing: in debt it is admitted all the same.
  const bool allowed =
      ask.cost == 0 || (ask.cost <= capacity_ && begin + Word{ask.cost} * interval_ <= now + span);
  if (allowed && ask.cost != 0) {
    tat = begin + Word{ask.cost} * interval_;
  } else if (!allowed && ask.charge_denied) {
    const Word most = now + 2 * span;
    const Word wanted = begin + Word{std::min(ask.cost, 2 * capacity_)} * interval_;
    tat = std::max(tat, std::min(wanted, most));
  }
  Verdict verdict = report(tat, now, ask.cost, allowed);
  if (allowed) verdict.delay = nanos_up(begin - now, scale_);
  return verdict;
}

Verdict Gcra::decide(State& state, Nanos now, Ask ask) const {
  if (capacity_ == 0) return {.allowed = false, .retry_after = std::nullopt};
  if (one_word_) return decide_in(state.word[0], scaled<std::uint64_t>(now), ask);
  Wide tat = load(state);
  const Verdict verdict = decide_in(tat, scaled<Wide>(now), ask);
  save(state, tat);
  return verdict;
}

Verdict Gcra::peek(const State& state, Nanos now, std::uint64_t cost) const {
  if (capacity_ == 0) return {.allowed = false, .retry_after = std::nullopt};
  // What decide says, with the state as it is: the charge is made on a copy and not reported.
  State copy = state;
  Verdict verdict = decide(copy, now, {.cost = cost});
  if (verdict.allowed) {
    const Verdict before = one_word_ ? report(state.word[0], scaled<std::uint64_t>(now), 0, true)
                                     : report(load(state), scaled<Wide>(now), 0, true);
    verdict.remaining = before.remaining;
    verdict.reset_after = before.reset_after;
  }
  return verdict;
}

void Gcra::refund(State& state, Nanos now, std::uint64_t cost) const {
  if (capacity_ == 0) return;
  const Wide tat = load(state);
  const Wide instant = scaled<Wide>(now);
  const Wide used = above(tat, instant);
  // A TAT that lies behind us says nothing more: to move it would only undo the past.
  if (used == 0) return;
  const Wide given = Wide{std::min(cost, 2 * capacity_)} * interval_;
  save(state, instant + above(used, given));
}

void Gcra::charge(State& state, Nanos now, std::uint64_t cost) const {
  if (capacity_ == 0 || cost == 0) return;
  const Wide tat = load(state);
  const Wide instant = scaled<Wide>(now);
  const Wide wanted = std::max(tat, instant) + Wide{std::min(cost, 2 * capacity_)} * interval_;
  save(state, std::max(tat, std::min(wanted, instant + 2 * span_)));
}

bool Gcra::fresh(const State& state, Nanos now) const {
  return capacity_ == 0 || load(state) <= scaled<Wide>(now);
}

void Gcra::carry(const Gcra& old, State& state, Nanos now) const {
  const Wide used =
      old.capacity_ == 0 ? 0 : std::min(2 * old.span_, above(old.load(state), old.scaled<Wide>(now)));
  state = State{.ring = state.ring};
  if (capacity_ == 0 || used == 0) return;
  // Whole units and the rest apart, so that no product passes 128 bits; the rest rounds to the bucket's
  // disadvantage, by less than a nanosecond.
  const Wide whole = used / old.interval_;
  const Wide rest = ceil_div(used % old.interval_ * interval_, old.interval_);
  save(state, scaled<Wide>(now) + std::min(whole * interval_ + rest, 2 * span_));
}

}  // namespace weir
