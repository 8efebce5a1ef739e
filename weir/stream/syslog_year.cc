#include "weir/stream/syslog_year.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace weir {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kLeapYear = 366 * kDaySeconds;
constexpr std::int64_t kHalfYear = kLeapYear / 2;
constexpr std::int64_t kLateAtNewYear = 7 * kDaySeconds;
/// The largest distance of a local clock ahead of UTC.
constexpr Nanos kAheadOfUtc = 14 * kHour;
/// Leap years come within eight years, also around 1900 and 2100; further back nobody looks.
constexpr int kYearsBack = 12;
constexpr std::size_t kMostLeapYears = 64;

std::int64_t seconds_into_year(const YearlessStamp& stamp) {
  constexpr std::array<int, 12> kDaysBefore = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335};
  const int day = kDaysBefore[static_cast<std::size_t>(stamp.month - 1)] + stamp.day - 1;
  const int second_of_day = (stamp.hour * 60 + stamp.minute) * 60 + stamp.second;
  return day * kDaySeconds + second_of_day;
}

int year_of(Nanos time) {
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_time<nanoseconds>(nanoseconds(time)))};
  return static_cast<int>(date.year());
}

std::optional<Nanos> in_year(const YearlessStamp& stamp, int year) {
  return from_civil(year, stamp.month, stamp.day, stamp.hour, stamp.minute, stamp.second, stamp.fraction);
}

bool is_leap(int year) {
  return std::chrono::year(year).is_leap();
}

}  // namespace

int YearCounter::place(const YearlessStamp& stamp) {
  const std::int64_t position = seconds_into_year(stamp);
  if (!started_) {
    started_ = true;
    latest_ = position;
    return year_;
  }
  if (position < latest_ - kHalfYear) {
    latest_ = position;
    return ++year_;
  }
  const bool is_late = year_ > 0 && position >= latest_ + kLeapYear - kLateAtNewYear;
  if (is_late) return year_ - 1;
  latest_ = std::max(latest_, position);
  return year_;
}

void SyslogYears::survey(const YearlessStamp& stamp) {
  const int year = survey_.counter.place(stamp);
  const bool is_latest =
      !survey_.last || year > survey_.last_year ||
      (year == survey_.last_year && seconds_into_year(stamp) > seconds_into_year(*survey_.last));
  if (is_latest) {
    survey_.last = stamp;
    survey_.last_year = year;
  }
  std::vector<int>& leap = survey_.leap_years;
  const bool is_leap_day = stamp.month == 2 && stamp.day == 29;
  const bool is_news = leap.empty() || leap.back() != year;
  if (is_leap_day && is_news && leap.size() < kMostLeapYears) leap.push_back(year);
}

void SyslogYears::begin(std::optional<Nanos> modified) {
  // A given first year is that of the first file; the ones behind it go on where it ends.
  if (first_year_) {
    base_ = first_year_;
    return;
  }
  base_ = modified ? fitting_first_year(saturating_add(*modified, kAheadOfUtc)) : std::nullopt;
  counter_ = {};
  survey_ = {};
}

/// The latest year for the first stamp that puts no stamp after `limit` and every 29 February in a leap year;
/// when there is none, the latest that does the first.
std::optional<int> SyslogYears::fitting_first_year(Nanos limit) const {
  if (!survey_.last) return std::nullopt;
  const int latest = year_of(limit);
  std::optional<int> without_leap_days;
  for (int last_year = latest; last_year > latest - kYearsBack; --last_year) {
    const int first = last_year - survey_.last_year;
    YearlessStamp last = *survey_.last;
    const bool leap_day = last.month == 2 && last.day == 29 && !is_leap(last_year);
    if (leap_day) last.day = 28;
    const auto end = in_year(last, last_year);
    if (!end || *end > limit) continue;
    if (!without_leap_days) without_leap_days = first;
    const bool fits = std::all_of(survey_.leap_years.begin(), survey_.leap_years.end(),
                                  [first](int year) { return is_leap(first + year); });
    if (fits) return first;
  }
  return without_leap_days;
}

std::optional<Nanos> SyslogYears::resolve(const YearlessStamp& stamp) {
  if (base_) return in_year(stamp, *base_ + counter_.place(stamp));
  const Nanos limit = saturating_add(now_, kAheadOfUtc);
  const int latest = year_of(limit);
  for (int year = latest; year > latest - kYearsBack; --year) {
    const auto time = in_year(stamp, year);
    if (time && *time <= limit) return time;
  }
  return std::nullopt;
}

}  // namespace weir
