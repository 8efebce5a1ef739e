#include "weir/policy/posix_rule.h"

#include <chrono>

namespace weir {
namespace {

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<unsigned> take_number(std::string_view& text, unsigned most) {
  unsigned value = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 4 && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    value = value * 10 + static_cast<unsigned>(text[digits] - '0');
  }
  if (digits == 0 || value > most) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

/// "GMT" or "<+0330>".
bool take_name(std::string_view& text) {
  const bool quoted = text.starts_with('<');
  const std::size_t end = quoted ? text.find('>') : text.find_first_of("+-0123456789,");
  if (end == std::string_view::npos || end == 0) return false;
  text.remove_prefix(quoted ? end + 1 : end);
  return true;
}

/// "1", "-2:30", "24:00:00": up to a week, as times of day may be.
std::optional<Nanos> take_time(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto hours = take_number(text, 167);
  if (!hours) return std::nullopt;
  Nanos time = *hours * kHour;
  for (const Nanos unit : {kMinute, kSecond}) {
    if (!take(text, ':')) break;
    const auto part = take_number(text, 59);
    if (!part) return std::nullopt;
    time += *part * unit;
  }
  return negative ? -time : time;
}

}  // namespace

std::optional<PosixRule::Day> PosixRule::take_day(std::string_view& text) {
  if (!take(text, ',') || !take(text, 'M')) return std::nullopt;
  const auto month = take_number(text, 12);
  if (!month || *month == 0 || !take(text, '.')) return std::nullopt;
  const auto week = take_number(text, 5);
  if (!week || *week == 0 || !take(text, '.')) return std::nullopt;
  const auto weekday = take_number(text, 6);
  if (!weekday) return std::nullopt;
  Day day{*month, *week, *weekday};
  if (take(text, '/')) {
    const auto time = take_time(text);
    if (!time) return std::nullopt;
    day.time = *time;
  }
  return day;
}

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  PosixRule rule;
  if (!take_name(text)) return std::nullopt;
  // What POSIX writes is UTC minus local time.
  const auto winter_offset = take_time(text);
  if (!winter_offset || !take_name(text)) return std::nullopt;
  rule.winter_offset_ = -*winter_offset;
  rule.summer_offset_ = rule.winter_offset_ + kHour;
  if (!text.starts_with(',')) {
    const auto summer_offset = take_time(text);
    if (!summer_offset) return std::nullopt;
    rule.summer_offset_ = -*summer_offset;
  }
  const auto summer = take_day(text);
  const auto winter = summer ? take_day(text) : std::nullopt;
  if (!winter || !text.empty()) return std::nullopt;
  rule.summer_ = *summer;
  rule.winter_ = *winter;
  return rule;
}

Nanos PosixRule::local_time(const Day& day, int year) {
  namespace chrono = std::chrono;
  const chrono::year_month month = chrono::year(year) / chrono::month(day.month);
  const chrono::weekday weekday(day.weekday);
  const chrono::sys_days date = day.week == 5 ? chrono::sys_days(month / weekday[chrono::last])
                                              : chrono::sys_days(month / weekday[day.week]);
  return date.time_since_epoch().count() * kDay + day.time;
}

PosixRule::Change PosixRule::summer(int year) const {
  return {local_time(summer_, year) - winter_offset_, summer_offset_};
}

PosixRule::Change PosixRule::winter(int year) const {
  return {local_time(winter_, year) - summer_offset_, winter_offset_};
}

}  // namespace weir
