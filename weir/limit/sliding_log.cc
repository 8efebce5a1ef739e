#include "weir/limit/sliding_log.h"

#include <algorithm>

#include "weir/limit/debt.h"

namespace weir {
namespace {

constexpr unsigned kHalf = 32;

std::uint64_t head(const State& state) {
  return state.word[0] >> kHalf;
}
std::uint64_t count(const State& state) {
  return state.word[0] & ((std::uint64_t{1} << kHalf) - 1);
}
void set_stretch(State& state, std::uint64_t head, std::uint64_t count) {
  state.word[0] = head << kHalf | count;
}
Nanos latest(const State& state) {
  return instant_of(state.word[1]);
}
std::uint64_t dropped(const State& state) {
  return state.word[2];
}

std::size_t place(const State& state, std::uint64_t i) {
  return (head(state) + i) % state.ring.size();
}
const LogEntry& entry(const State& state, std::uint64_t i) {
  return state.ring[place(state, i)];
}
LogEntry& newest(State& state) {
  return state.ring[place(state, count(state) - 1)];
}
Nanos newest_time(const State& state) {
  return entry(state, count(state) - 1).time;
}

/// All units that were ever admitted, up to the newest entry.
std::uint64_t total(const State& state) {
  return count(state) == 0 ? dropped(state) : entry(state, count(state) - 1).total;
}
std::uint64_t used(const State& state) {
  return total(state) - dropped(state);
}

/// A `now` before the latest that has changed the log is read as that.
Nanos never_back(const State& state, Nanos now) {
  return std::max(now, latest(state));
}

/// The index of the first entry for which `reached` is true, of entries for which it is false and then true.
template <class Predicate>
std::size_t first_entry(const State& state, Predicate reached) {
  std::size_t low = 0;
  std::size_t high = count(state);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (reached(entry(state, middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

void SlidingLog::drop_expired(State& state, Nanos now) const {
  const Nanos at = never_back(state, now);
  // Never as a cut at `at` - per, which the beginning of time would hold up.
  const std::size_t expired =
      first_entry(state, [&](const LogEntry& e) { return saturating_sub(at, e.time) < per_; });
  if (expired == 0) return;
  state.word[1] = word_of(at);  // what goes now must not have been there for a `now` that lags
  state.word[2] = entry(state, expired - 1).total;
  set_stretch(state, place(state, expired), count(state) - expired);
}

bool SlidingLog::needs_room(const State& state, Nanos now) const {
  if (quota_ == 0) return false;
  State copy = state;
  drop_expired(copy, now);
  return count(copy) == copy.ring.size();
}

void SlidingLog::move_to(State& state, std::span<LogEntry> ring) {
  for (std::size_t i = 0; i < count(state); ++i) ring[i] = entry(state, i);
  set_stretch(state, 0, count(state));
  state.ring = ring;
}

void SlidingLog::append(State& state, Nanos now, std::uint64_t units) {
  const Nanos at = never_back(state, now);
  state.word[1] = word_of(at);
  if (count(state) != 0 && newest(state).time == at) {
    newest(state).total += units;  // one entry an instant, however many requests
    return;
  }
  const std::uint64_t before = total(state);
  set_stretch(state, head(state), count(state) + 1);
  newest(state) = {at, before + units};
}

bool SlidingLog::admits(std::uint64_t in_window, std::uint64_t cost) const {
  if (quota_ == 0) return false;
  return cost == 0 || (in_window <= quota_ && cost <= quota_ - in_window);
}

/// Never as time + per - now, which would be cut at the end of time.
Nanos SlidingLog::until_expiry(Nanos time, Nanos now) const {
  return saturating_sub(per_, saturating_sub(now, time));
}

std::optional<Nanos> SlidingLog::wait_for(const State& state, Nanos now, std::uint64_t cost) const {
  if (quota_ == 0 || cost > quota_) return std::nullopt;
  // Enough has to leave for the rest to be quota - cost; the last entry that must leave says when.
  const std::uint64_t must_leave = used(state) - (quota_ - cost);
  const std::uint64_t base = dropped(state);
  const std::size_t last =
      first_entry(state, [&](const LogEntry& e) { return e.total - base >= must_leave; });
  return until_expiry(entry(state, last).time, now);
}

Verdict SlidingLog::report(const State& state, Nanos now, std::uint64_t cost, bool allowed) const {
  const std::uint64_t in_window = used(state);
  Verdict verdict{.allowed = allowed, .limit = quota_};
  verdict.remaining = quota_ - std::min(quota_, in_window);
  if (in_window != 0) verdict.reset_after = until_expiry(newest_time(state), now);
  if (!allowed) verdict.retry_after = wait_for(state, now, cost);
  return verdict;
}

Verdict SlidingLog::decide(State& state, Nanos now, Ask ask) const {
  State next = state;
  drop_expired(next, now);
  const std::uint64_t before = used(next);
  const bool allowed = admits(before, ask.cost);
  std::uint64_t units = 0;
  if (allowed) {
    units = ask.cost;
  } else if (ask.charge_denied) {
    units = used_after(before, ask.cost, quota_) - before;
  }
  if (units == 0) return report(next, now, ask.cost, allowed);
  // Only now: entries that are dropped with nothing charged would be forgotten if time then stepped back.
  append(next, now, units);
  state = next;
  return report(state, now, ask.cost, allowed);
}

Verdict SlidingLog::peek(const State& state, Nanos now, std::uint64_t cost) const {
  State copy = state;  // the words; the ring is only read
  drop_expired(copy, now);
  return report(copy, now, cost, admits(used(copy), cost));
}

void SlidingLog::refund(State& state, Nanos now, std::uint64_t cost) const {
  State next = state;
  drop_expired(next, now);
  std::uint64_t left = std::min(cost, used(next));
  if (left == 0) return;
  state = next;
  while (left != 0) {
    const std::uint64_t before = count(state) == 1 ? dropped(state) : entry(state, count(state) - 2).total;
    const std::uint64_t units = newest(state).total - before;
    if (units > left) {
      newest(state).total -= left;
      return;
    }
    left -= units;
    set_stretch(state, head(state), count(state) - 1);
  }
}

void SlidingLog::give_back(State& state, Nanos now, std::uint64_t cost, const Charge& from) const {
  State next = state;
  drop_expired(next, now);
  const std::size_t at = first_entry(next, [&](const LogEntry& e) { return e.time >= from.at; });
  if (at == count(next) || entry(next, at).time != from.at) return;
  const std::uint64_t before = at == 0 ? dropped(next) : entry(next, at - 1).total;
  const std::uint64_t units = entry(next, at).total - before;
  const std::uint64_t taken = std::min(cost, units);
  if (taken == 0) return;
  const std::size_t gone = taken == units ? 1 : 0;  // no entry stays for nothing
  set_stretch(next, head(next), count(next) - gone);
  for (std::size_t i = at; i < count(next); ++i) {
    const LogEntry kept = entry(next, i + gone);
    next.ring[place(next, i)] = {kept.time, kept.total - taken};
  }
  state = next;
}

void SlidingLog::charge(State& state, Nanos now, std::uint64_t cost) const {
  State next = state;
  drop_expired(next, now);
  const std::uint64_t before = used(next);
  const std::uint64_t units = used_after(before, cost, quota_) - before;
  if (units == 0) return;
  append(next, now, units);
  state = next;
}

bool SlidingLog::fresh(const State& state, Nanos now) const {
  const bool unused = count(state) == 0 || saturating_sub(now, newest_time(state)) >= per_;
  // What has changed it later than `now` is still to be known, though nothing is left of it.
  return unused && latest(state) <= now;
}

void SlidingLog::carry(const SlidingLog& old, State& state, Nanos now) const {
  old.drop_expired(state, now);
  const std::uint64_t in_window = used(state);
  // More than this limit may owe: the oldest units go, as time would have them go.
  if (in_window > 2 * quota_) {
    const std::uint64_t excess = in_window - 2 * quota_;
    const std::uint64_t base = dropped(state);
    const std::size_t kept = first_entry(state, [&](const LogEntry& e) { return e.total - base > excess; });
    set_stretch(state, state.ring.empty() ? 0 : place(state, kept), count(state) - kept);
    state.word[2] = base + excess;
  }
}

}  // namespace weir
