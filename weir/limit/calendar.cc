#include "weir/limit/calendar.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace weir {
namespace {

using std::chrono::days;
using std::chrono::months;
using std::chrono::sys_days;
using std::chrono::year_month_day;
using std::chrono::years;

constexpr std::array<std::string_view, 4> kUnitNames{"day", "week", "month", "year"};

/// The day that an instant of local time falls into.
sys_days day_of(Nanos local) {
  const Nanos day = local / kDay - (local % kDay < 0 ? 1 : 0);
  return sys_days(days(static_cast<int>(day)));
}

Nanos start_of(sys_days day) {
  Nanos start = 0;
  const Nanos count = day.time_since_epoch().count();
  if (__builtin_mul_overflow(count, kDay, &start))
    return count > 0 ? kForever : std::numeric_limits<Nanos>::min();
  return start;
}

sys_days period_start(sys_days day, CalendarUnit unit) {
  const year_month_day date{day};
  switch (unit) {
    case CalendarUnit::day:
      return day;
    case CalendarUnit::week:
      return day - (std::chrono::weekday(day) - std::chrono::Monday);
    case CalendarUnit::month:
      return date.year() / date.month() / 1;
    case CalendarUnit::year:
      return date.year() / std::chrono::January / 1;
  }
  return day;
}

/// REQUIRES: `start` is the start of a period.
sys_days next_period(sys_days start, CalendarUnit unit) {
  const year_month_day date{start};
  switch (unit) {
    case CalendarUnit::day:
      return start + days(1);
    case CalendarUnit::week:
      return start + days(7);
    case CalendarUnit::month:
      return sys_days(date + months(1));
    case CalendarUnit::year:
      return sys_days(date + years(1));
  }
  return start;
}

}  // namespace

std::string_view name(CalendarUnit unit) {
  return kUnitNames[static_cast<std::size_t>(unit)];
}

std::optional<CalendarUnit> parse_calendar_unit(std::string_view text) {
  if (!text.starts_with("1 ")) return std::nullopt;
  const auto* found = std::find(kUnitNames.begin(), kUnitNames.end(), text.substr(2));
  if (found == kUnitNames.end()) return std::nullopt;
  return static_cast<CalendarUnit>(found - kUnitNames.begin());
}

Nanos Calendar::local(Nanos utc) const {
  if (!zone_ || zone_->spans.empty()) return utc;
  const auto after = std::upper_bound(zone_->spans.begin(), zone_->spans.end(), utc,
                                      [](Nanos t, const Zone::Span& span) { return t < span.from; });
  const auto& span = after == zone_->spans.begin() ? *after : *std::prev(after);
  return saturating_add(utc, span.offset);
}

/// The first instant at which local clocks show `local` or later.
Nanos Calendar::utc(Nanos local) const {
  if (!zone_ || zone_->spans.empty()) return local;
  const auto& spans = zone_->spans;
  // No clock is more than two days off UTC, so no span that ends before that can be the one.
  auto span = std::upper_bound(spans.begin(), spans.end(), saturating_sub(local, 2 * kDay),
                               [](Nanos t, const Zone::Span& s) { return t < s.from; });
  if (span != spans.begin()) --span;
  for (;; ++span) {
    const Nanos reached = saturating_sub(local, span->offset);
    const Nanos candidate = span == spans.begin() ? reached : std::max(span->from, reached);
    if (std::next(span) == spans.end() || candidate < std::next(span)->from) return candidate;
  }
}

Window Calendar::at(Nanos now) const {
  sys_days start = period_start(day_of(saturating_sub(local(now), reset_at_)), unit_);
  // Only at the very beginning of time can the period's start be cut to something later than now.
  Nanos from = std::min(now, utc(saturating_add(start_of(start), reset_at_)));
  for (;;) {
    start = next_period(start, unit_);
    if (start_of(start) == kForever) return {from, kForever};
    const Nanos until = utc(saturating_add(start_of(start), reset_at_));
    // Where clocks were put back over the reset hour, the hour before it comes once more, in the period
    // already begun.
    if (now < until) return {from, until};
    from = until;
  }
}

std::string Calendar::describe() const {
  std::string text = "1 " + std::string(name(unit_));
  if (!zone_ && reset_at_ == 0) return text;
  const auto two_digits = [](Nanos n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return text + " (" + (zone_ ? zone_->name : "UTC") + " from " + two_digits(reset_at_ / kHour) + ":" +
         two_digits(reset_at_ % kHour / kMinute) + ")";
}

bool Calendar::operator==(const Calendar& other) const {
  const bool same_zone = zone_ == other.zone_ || (zone_ && other.zone_ && *zone_ == *other.zone_);
  return unit_ == other.unit_ && same_zone && reset_at_ == other.reset_at_;
}

}  // namespace weir
