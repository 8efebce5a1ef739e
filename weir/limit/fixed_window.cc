#include "weir/limit/fixed_window.h"

#include <algorithm>

#include "weir/limit/debt.h"

namespace weir {

WindowPosition position_in_window(Nanos now, Nanos per) {
  const Nanos elapsed = now % per + (now % per < 0 ? per : 0);
  return {saturating_sub(now, elapsed), elapsed};
}

FixedWindow::Count FixedWindow::fresh_count(Nanos now) const {
  if (const auto* calendar = std::get_if<Calendar>(&per_)) {
    const Window window = calendar->at(now);
    return {window.start, saturating_sub(window.end, now), 0};
  }
  const Nanos per = std::get<Nanos>(per_);
  const WindowPosition position = position_in_window(now, per);
  return {position.start, per - position.elapsed, 0};
}

FixedWindow::Count FixedWindow::load(const State& state, Nanos now) const {
  Count count = fresh_count(now);
  const Nanos start = instant_of(state.word[0]);
  if (start < count.start) return count;
  if (start > count.start) {
    // A window ahead of `now` was charged by a later now: time has stepped back, and that window is still the
    // one.
    count = fresh_count(start);
    count.left = saturating_add(count.left, saturating_sub(start, now));
  }
  count.used = state.word[1];
  return count;
}

void FixedWindow::save(State& state, const Count& count) {
  state.word[0] = word_of(count.start);
  state.word[1] = count.used;
}

bool FixedWindow::admits(const Count& count, std::uint64_t cost) const {
  if (quota_ == 0) return false;
  return cost == 0 || (count.used <= quota_ && cost <= quota_ - count.used);
}

Verdict FixedWindow::report(const Count& count, std::uint64_t cost, bool allowed) const {
  Verdict verdict{.allowed = allowed, .limit = quota_};
  verdict.remaining = quota_ - std::min(quota_, count.used);
  if (count.used != 0) verdict.reset_after = count.left;
  if (!allowed) {
    verdict.retry_after = quota_ == 0 || cost > quota_ ? std::nullopt : std::optional(count.left);
  }
  return verdict;
}

Verdict FixedWindow::decide(State& state, Nanos now, Ask ask) const {
  Count count = load(state, now);
  const bool allowed = admits(count, ask.cost);
  if (allowed) {
    count.used += ask.cost;
  } else if (ask.charge_denied) {
    count.used = used_after(count.used, ask.cost, quota_);
  }
  if (count.used != 0) save(state, count);
  return report(count, ask.cost, allowed);
}

Verdict FixedWindow::peek(const State& state, Nanos now, std::uint64_t cost) const {
  const Count count = load(state, now);
  return report(count, cost, admits(count, cost));
}

void FixedWindow::refund(State& state, Nanos now, std::uint64_t cost) const {
  Count count = load(state, now);
  if (count.used == 0) return;
  count.used -= std::min(count.used, cost);
  save(state, count);
}

void FixedWindow::give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
  if (load(state, now).start == fresh_count(from.at).start) refund(state, now, cost);
}

void FixedWindow::charge(State& state, Nanos now, std::uint64_t cost) const {
  Count count = load(state, now);
  count.used = used_after(count.used, cost, quota_);
  if (count.used != 0) save(state, count);
}

bool FixedWindow::fresh(const State& state, Nanos now) const {
  // A window ahead of `now` is still to be known, though nothing is used in it.
  return load(state, now).used == 0 && instant_of(state.word[0]) <= now;
}

void FixedWindow::carry(const FixedWindow& old, State& state, Nanos now) const {
  Count count = old.load(state, now);
  count.used = std::min(count.used, 2 * quota_);
  save(state, count);
}

}  // namespace weir
