#include "weir/limit/kernel.h"

#include <stdexcept>

namespace weir {

Kernel::Law Kernel::make(const Limit& limit, TimeFrame frame) {
  if (const auto error = find_error(limit)) throw std::invalid_argument(error->field + ": " + error->message);
  switch (limit.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::gcra:
      return TokenBucket(limit, frame);
    case Algorithm::leaky_bucket:
      return LeakyBucket(limit, frame);
    case Algorithm::fixed_window:
      return FixedWindow(limit);
    case Algorithm::sliding_log:
      return SlidingLog(limit);
    case Algorithm::sliding_counter:
      return SlidingCounter(limit);
  }
  throw std::invalid_argument("algorithm: there is no such algorithm");
}

Kernel::Kernel(const Limit& limit, TimeFrame frame) : limit_(limit), law_(make(limit, frame)) {}

unsigned Kernel::words() const {
  return std::visit([](const auto& law) { return law.words(); }, law_);
}

bool Kernel::needs_room(const State& state, Nanos now) const {
  const auto* log = std::get_if<SlidingLog>(&law_);
  return log && log->needs_room(state, now);
}

Nanos Kernel::phase(std::uint64_t key_hash) const {
  if (limit_.align == Align::epoch) return 0;
  return static_cast<Nanos>(key_hash % static_cast<std::uint64_t>(std::get<Nanos>(limit_.per)));
}

Verdict Kernel::decide(State& state, Nanos now, Ask ask) const {
  return std::visit([&](const auto& law) { return law.decide(state, now, ask); }, law_);
}

void Kernel::decide_rarer_word(std::uint64_t& word, Nanos now, Ask ask, Verdict& verdict) const {
  State state{.word = {word, 0, 0}};
  verdict = decide(state, now, ask);
  word = state.word[0];
}

Verdict Kernel::peek(const State& state, Nanos now, std::uint64_t cost) const {
  return std::visit([&](const auto& law) { return law.peek(state, now, cost); }, law_);
}

void Kernel::refund(State& state, Nanos now, std::uint64_t cost) const {
  std::visit([&](const auto& law) { law.refund(state, now, cost); }, law_);
}

void Kernel::give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
  if (cost == 0) return;
  std::visit([&](const auto& law) { law.give_back(state, now, cost, from); }, law_);
}

void Kernel::charge(State& state, Nanos now, std::uint64_t cost) const {
  std::visit([&](const auto& law) { law.charge(state, now, cost); }, law_);
}

bool Kernel::fresh(const State& state, Nanos now) const {
  return std::visit([&](const auto& law) { return law.fresh(state, now); }, law_);
}

void Kernel::carry(const Kernel& old, State& state, Nanos now) const {
  if (!same_kind(limit_, old.limit_)) {
    state = State{.ring = state.ring};
    return;
  }
  std::visit([&](const auto& law) { law.carry(std::get<std::decay_t<decltype(law)>>(old.law_), state, now); },
             law_);
}

}  // namespace weir
