#include "weir/limit/gcra.h"

#include <algorithm>
#include <numeric>

namespace weir {
namespace {

/// The state's highest bit is left to the store.
constexpr Wide kOneWordEnd = Wide{1} << 63U;

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

Wide Gcra::load(const State& state) const {
  return one_word_ ? Wide{state.word[0]} : Wide{state.word[1]} << 64U | state.word[0];
}

void Gcra::save(State& state, Wide tat) const {
  state.word[0] = static_cast<std::uint64_t>(tat);
  if (!one_word_) state.word[1] = static_cast<std::uint64_t>(tat >> 64U);
}

template <class Word>
void Gcra::decide_in(Word& tat, Word now, Ask ask, Verdict& verdict) const {
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
  report(tat, now, ask.cost, allowed, verdict);
  if (allowed) verdict.delay = nanos_up(begin - now);
}

void Gcra::decide_otherwise(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const {
  if (capacity_ == 0) {
    verdict = admits_nothing();
  } else {
    decide_in(word, scaled<std::uint64_t>(now), ask, verdict);
  }
}

Verdict Gcra::decide(State& state, Nanos now, Ask ask) const {
  Verdict verdict;
  if (one_word_) {
    decide_word(state.word[0], now, ask, verdict);
    return verdict;
  }
  if (capacity_ == 0) return admits_nothing();
  Wide tat = load(state);
  decide_in(tat, scaled<Wide>(now), ask, verdict);
  save(state, tat);
  return verdict;
}

Verdict Gcra::peek(const State& state, Nanos now, std::uint64_t cost) const {
  if (capacity_ == 0) return admits_nothing();
  // What decide says, with the state as it is: the charge is made on a copy and not reported.
  State copy = state;
  Verdict verdict = decide(copy, now, {.cost = cost});
  if (verdict.allowed) {
    Verdict before;
    if (one_word_) {
      report(state.word[0], scaled<std::uint64_t>(now), 0, true, before);
    } else {
      report(load(state), scaled<Wide>(now), 0, true, before);
    }
    verdict.remaining = before.remaining;
    verdict.reset_after = before.reset_after;
  }
  return verdict;
}

Wide Gcra::span_of(std::uint64_t cost) const {
  return Wide{std::min(cost, 2 * capacity_)} * interval_;
}

void Gcra::take_off(State& state, Wide instant, Wide given) const {
  const Wide used = above(load(state), instant);
  // A TAT that lies behind us says nothing more: to move it would only undo the past.
  if (used == 0) return;
  save(state, instant + above(used, given));
}

void Gcra::refund(State& state, Nanos now, std::uint64_t cost) const {
  if (capacity_ == 0) return;
  take_off(state, scaled<Wide>(now), span_of(cost));
}

void Gcra::give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
  if (capacity_ == 0) return;
  const Wide instant = scaled<Wide>(now);
  const Wide weighs_until = scaled<Wide>(from.at) + span_of(from.cost);
  take_off(state, instant, std::min(span_of(cost), above(weighs_until, instant)));
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
