#include "weir/limit/sliding_counter.h"

#include <algorithm>

#include "weir/limit/debt.h"
#include "weir/limit/fixed_window.h"

namespace weir {
namespace {

Wide wide(Nanos n) {
  return static_cast<std::uint64_t>(n);
}

/// The earliest elapsed time of a window at which `previous` weighs at most `room`; per when only the
/// window's end will do.
Nanos elapsed_until(std::uint64_t previous, std::uint64_t room, Nanos per) {
  if (previous <= room) return 0;
  return per - static_cast<Nanos>(mul_div_floor(room, static_cast<std::uint64_t>(per), previous));
}

}  // namespace

SlidingCounter::Counts SlidingCounter::load(const State& state, Nanos now) const {
  const WindowPosition window = position_in_window(now, per_);
  const Nanos start = instant_of(state.word[0]);
  const std::uint64_t previous = state.word[1];
  const std::uint64_t current = state.word[2];
  if (start == window.start) return {start, window.elapsed, previous, current};
  // Time has stepped back: the state's own window has begun, and is taken at its beginning.
  if (start > window.start) return {start, 0, previous, current};
  return {window.start, window.elapsed, is_before(start, window.start) ? current : 0, 0};
}

/// Whether the window that begins at `start` ends where the other begins. The first window of all is cut.
bool SlidingCounter::is_before(Nanos start, Nanos next) const {
  return start < next && saturating_sub(next, per_) == start;
}

void SlidingCounter::save(State& state, const Counts& counts) {
  state.word = {word_of(counts.start), counts.previous, counts.current};
}

Wide SlidingCounter::weighted(const Counts& counts) const {
  return Wide{counts.previous} * wide(per_ - counts.elapsed) + Wide{counts.current} * wide(per_);
}

bool SlidingCounter::admits(const Counts& counts, std::uint64_t cost) const {
  if (quota_ == 0 || cost > quota_) return false;
  return cost == 0 || weighted(counts) + Wide{cost} * wide(per_) <= Wide{quota_} * wide(per_);
}

std::optional<Nanos> SlidingCounter::wait_for(const Counts& counts, std::uint64_t cost) const {
  if (quota_ == 0 || cost > quota_) return std::nullopt;
  const std::uint64_t spare = quota_ - cost;
  if (counts.current <= spare) {
    // Within this window, or at its very end, where the next begins with current as its previous, and that
    // fits too.
    return elapsed_until(counts.previous, spare - counts.current, per_) - counts.elapsed;
  }
  const Nanos next = per_ - counts.elapsed;
  return saturating_add(next, elapsed_until(counts.current, spare, per_));
}

Verdict SlidingCounter::report(const Counts& counts, Nanos now, std::uint64_t cost, bool allowed) const {
  Verdict verdict{.allowed = allowed, .limit = quota_};
  const Wide most = Wide{quota_} * wide(per_);
  const Wide used = std::min(most, weighted(counts));
  verdict.remaining = static_cast<std::uint64_t>((most - used) / wide(per_));
  // Where time has stepped back, the wait is counted from the caller's now, not from the state's.
  const Nanos state_now = saturating_add(counts.start, counts.elapsed);
  const Nanos behind = std::max<Nanos>(0, saturating_sub(state_now, now));
  if (!allowed) {
    verdict.retry_after = wait_for(counts, cost);
    if (verdict.retry_after) verdict.retry_after = saturating_add(*verdict.retry_after, behind);
  }
  const Nanos rest = saturating_add(per_ - counts.elapsed, behind);
  if (counts.current != 0) {
    verdict.reset_after = saturating_add(rest, per_);
  } else if (counts.previous != 0) {
    verdict.reset_after = rest;
  }
  return verdict;
}

Verdict SlidingCounter::decide(State& state, Nanos now, Ask ask) const {
  Counts counts = load(state, now);
  const bool allowed = admits(counts, ask.cost);
  if (allowed) {
    counts.current += ask.cost;
  } else if (ask.charge_denied) {
    counts.current = used_after(counts.current, ask.cost, quota_);
  }
  if ((allowed || ask.charge_denied) && ask.cost != 0) save(state, counts);
  return report(counts, now, ask.cost, allowed);
}

Verdict SlidingCounter::peek(const State& state, Nanos now, std::uint64_t cost) const {
  const Counts counts = load(state, now);
  return report(counts, now, cost, admits(counts, cost));
}

/// `count` is one of `counts`. Where it has nothing to give, the state stays at the window that it is in: to
/// move it on would forget what was used there.
void SlidingCounter::take_off(State& state, Counts& counts, std::uint64_t& count, std::uint64_t cost) {
  const std::uint64_t taken = std::min(count, cost);
  if (taken == 0) return;
  count -= taken;
  save(state, counts);
}

void SlidingCounter::refund(State& state, Nanos now, std::uint64_t cost) const {
  Counts counts = load(state, now);
  take_off(state, counts, counts.current, cost);
}

void SlidingCounter::give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
  Counts counts = load(state, now);
  const Nanos charged = position_in_window(from.at, per_).start;
  if (charged == counts.start) {
    take_off(state, counts, counts.current, cost);
  } else if (is_before(charged, counts.start)) {
    take_off(state, counts, counts.previous, cost);
  }
}

void SlidingCounter::charge(State& state, Nanos now, std::uint64_t cost) const {
  Counts counts = load(state, now);
  counts.current = used_after(counts.current, cost, quota_);
  if (cost != 0) save(state, counts);
}

bool SlidingCounter::fresh(const State& state, Nanos now) const {
  const Counts counts = load(state, now);
  // A window ahead of `now` is still to be known, though nothing is used in it.
  return counts.previous == 0 && counts.current == 0 && instant_of(state.word[0]) <= now;
}

void SlidingCounter::carry(const SlidingCounter& old, State& state, Nanos now) const {
  Counts counts = old.load(state, now);
  counts.previous = std::min(counts.previous, 2 * quota_);
  counts.current = std::min(counts.current, 2 * quota_);
  save(state, counts);
}

}  // namespace weir
