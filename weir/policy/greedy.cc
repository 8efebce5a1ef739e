#include "weir/policy/greedy.h"

#include <limits>

#include "weir/base/wide.h"

namespace weir {
namespace {

std::uint64_t saturated(Wide value) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return value > most ? most : static_cast<std::uint64_t>(value);
}

/// REQUIRES: n >= 0.
Wide wide(Nanos n) {
  return static_cast<std::uint64_t>(n);
}

Wide fixed_span(const Limit& limit, Nanos per, Nanos span) {
  return limit.quota * (1 + ceil_div(wide(span - 1), wide(per)));
}

Wide fixed_calendar(const Limit& limit, const Calendar& calendar, Nanos span) {
  const Nanos first = *from_civil(2000, 1, 1, 0, 0, 0);
  const Nanos last = *from_civil(2040, 1, 1, 0, 0, 0);
  Wide most = 1;
  // A span that begins with the last nanosecond of one window, whose end moves on as its start does.
  Wide touched = 1;
  Window front = calendar.at(calendar.at(first).end);
  for (Window back = calendar.at(first); back.end < last; back = calendar.at(back.end)) {
    const Nanos end = saturating_add(back.end - 1, span);
    for (; front.start < end; front = calendar.at(front.end)) ++touched;
    most = most > touched ? most : touched;
    --touched;
  }
  return limit.quota * most;
}

/// Within one window the counter admits until current = quota - ceil(previous * rest / per); to take all
/// that, window after window, is the best that there is.
Wide sliding_counter(const Limit& limit, Nanos per, Nanos span) {
  const Wide quota = limit.quota;
  const Wide period = wide(per);
  const auto at_end_of_window = [&](Wide previous) { return quota - ceil_div(previous, period); };
  Wide rest = wide(span - 1);
  Wide sum = quota;
  Wide previous = quota;
  // Soon every window, or every second one, is like those before.
  for (Wide before = quota + 1; rest >= period; rest -= period) {
    const Wide next = at_end_of_window(previous);
    if (next == before) {
      const Wide pairs = rest / period / 2;
      sum += pairs * (next + previous);
      rest -= pairs * 2 * period;
      if (rest < period) break;
    }
    before = previous;
    previous = next;
    sum += next;
  }
  if (rest == 0) return sum;
  return sum + quota - ceil_div(previous * (period - (rest - 1)), period);
}

/// How many units a bucket admits, beside those that it holds to begin with, in a stretch of time.
Wide refilled(const Limit& limit, Nanos per, Nanos stretch) {
  // A bucket of one unit is full again at an instant between two nanoseconds, and what flows in until the
  // client can come is lost.
  if (capacity(limit) == 1) return wide(stretch) / ceil_div(wide(per), limit.quota);
  return wide(stretch) * limit.quota / wide(per);
}

Wide over_span(const Limit& limit, Nanos per, Nanos span) {
  switch (limit.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::gcra:
      return capacity(limit) + refilled(limit, per, span - 1);
    case Algorithm::leaky_bucket:
      if (capacity(limit) == 1) return 1 + refilled(limit, per, span - 1);
      return ceil_div(wide(span) * limit.quota, wide(per));
    case Algorithm::fixed_window:
      return fixed_span(limit, per, span);
    case Algorithm::sliding_log:
      return limit.quota * ceil_div(wide(span), wide(per));
    case Algorithm::sliding_counter:
      return sliding_counter(limit, per, span);
  }
  return 0;
}

}  // namespace

std::uint64_t greedy_most(const Limit& limit, Nanos span) {
  if (limit.quota == 0 || span <= 0) return 0;
  if (const Nanos* per = std::get_if<Nanos>(&limit.per)) return saturated(over_span(limit, *per, span));
  return saturated(fixed_calendar(limit, std::get<Calendar>(limit.per), span));
}

}  // namespace weir
