#include "weir/base/time.h"

#include <array>
#include <charconv>
#include <chrono>

#include "weir/base/text.h"
#include "weir/base/wide.h"

namespace weir {
namespace {

struct Unit {
  std::string_view name;
  Nanos size;
};
constexpr std::array<Unit, 7> kUnits{{{"ns", 1},
                                      {"us", kMicrosecond},
                                      {"ms", kMillisecond},
                                      {"s", kSecond},
                                      {"m", kMinute},
                                      {"h", kHour},
                                      {"d", kDay}}};

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

/// Reads exactly `width` digits from the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t width) {
  if (text.size() < width || count_digits(text.substr(0, width)) != width) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + width, value);
  text.remove_prefix(width);
  return value;
}

bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// The digits after a decimal point as nanoseconds; digits beyond the ninth are cut.
Nanos fraction_nanos(std::string_view digits) {
  Nanos value = 0;
  for (std::size_t i = 0; i < 9; ++i) value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return value;
}

/// "Z" or "+02:00" or "+0200" as an offset to subtract; nothing when it is neither.
std::optional<Nanos> take_zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const Nanos sign = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2);
  take_char(text, ":");
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * kHour + *minutes * kMinute);
}

}  // namespace

Result<Nanos> parse_duration(std::string_view text) {
  const auto fail = [&](std::string_view why) {
    return Error{"\"" + std::string(text) + "\" is not a duration" + std::string(why)};
  };
  const std::size_t digits = count_digits(text);
  std::int64_t count = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, count);
  if (digits == 0) return fail("; write a whole number and a unit, such as 10s, 1m or 500ms");
  const std::string_view name = text.substr(digits);
  for (const Unit& unit : kUnits) {
    if (name != unit.name) continue;
    Nanos value = 0;
    if (problem != std::errc{} || __builtin_mul_overflow(count, unit.size, &value)) {
      return fail("; the longest is 106751d (292 years)");
    }
    if (value == 0) return fail("; it must be longer than 0");
    return value;
  }
  return fail("; write a whole number and one of ns, us, ms, s, m, h, d, such as 10s, 1m or 500ms");
}

std::string format_duration(Nanos d) {
  if (d == 0) return "0s";
  for (auto unit = kUnits.rbegin(); unit != kUnits.rend(); ++unit) {
    if (d % unit->size == 0) return std::to_string(d / unit->size) + std::string(unit->name);
  }
  return std::to_string(d) + "ns";
}

void append_seconds(std::string& out, Nanos d) {
  // Through unsigned, so that the smallest value has a magnitude too.
  std::uint64_t magnitude = static_cast<std::uint64_t>(d);
  if (d < 0) {
    out += '-';
    magnitude = 0 - magnitude;
  }
  constexpr std::uint64_t second = static_cast<std::uint64_t>(kSecond);
  out += std::to_string(magnitude / second);
  std::uint64_t rest = magnitude % second;
  if (rest == 0) return;
  std::array<char, 10> decimals{'.'};
  for (std::size_t i = 9; i > 0; --i, rest /= 10) decimals[i] = static_cast<char>('0' + rest % 10);
  std::string_view shown(decimals.data(), decimals.size());
  shown.remove_suffix(shown.size() - 1 - shown.find_last_not_of('0'));
  out += shown;
}

std::optional<Nanos> parse_seconds(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t whole_digits = count_digits(text);
  if (whole_digits == 0) return std::nullopt;
  std::int64_t whole = 0;
  if (std::from_chars(text.data(), text.data() + whole_digits, whole).ec != std::errc{}) return std::nullopt;
  text.remove_prefix(whole_digits);
  Nanos fraction = 0;
  if (!text.empty()) {
    if (!take_char(text, ".") || text.empty() || count_digits(text) != text.size()) return std::nullopt;
    fraction = fraction_nanos(text);
  }
  Nanos value = 0;
  if (__builtin_mul_overflow(negative ? -whole : whole, kSecond, &value)) return std::nullopt;
  if (__builtin_add_overflow(value, negative ? -fraction : fraction, &value)) return std::nullopt;
  return value;
}

std::optional<Nanos> from_civil(int year, int month, int day, int hour, int minute, int second,
                                Nanos fraction) {
  using namespace std::chrono;
  if (month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return std::nullopt;
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  Nanos value = 0;
  const Nanos days = sys_days(date).time_since_epoch().count();
  const Nanos seconds = days * 86'400 + Nanos{hour} * 3'600 + Nanos{minute} * 60 + second;
  if (__builtin_mul_overflow(seconds, kSecond, &value)) return std::nullopt;
  if (__builtin_add_overflow(value, fraction, &value)) return std::nullopt;
  return value;
}

std::optional<Nanos> parse_rfc3339(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_char(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take_char(text, "Tt ")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take_char(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take_char(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second) return std::nullopt;
  Nanos fraction = 0;
  if (take_char(text, ".,")) {
    const std::size_t digits = count_digits(text);
    if (digits == 0) return std::nullopt;
    fraction = fraction_nanos(text.substr(0, digits));
    text.remove_prefix(digits);
  }
  const auto offset = take_zone(text);
  if (!offset) return std::nullopt;
  const auto local = from_civil(*year, *month, *day, *hour, *minute, *second, fraction);
  Nanos value = 0;
  if (!local || __builtin_sub_overflow(*local, *offset, &value)) return std::nullopt;
  return value;
}

std::string format_rfc3339(Nanos t) {
  using namespace std::chrono;
  const Nanos seconds = t / kSecond - (t % kSecond < 0 ? 1 : 0);
  const sys_seconds instant{std::chrono::seconds(seconds)};
  const auto date_days = floor<days>(instant);
  const year_month_day date{date_days};
  const hh_mm_ss time{instant - date_days};
  const auto padded = [](std::int64_t value, std::size_t width) {
    std::string digits = std::to_string(value);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
  };
  std::string out = padded(static_cast<int>(date.year()), 4) + '-' +
                    padded(static_cast<unsigned>(date.month()), 2) + '-' +
                    padded(static_cast<unsigned>(date.day()), 2) + 'T' + padded(time.hours().count(), 2) +
                    ':' + padded(time.minutes().count(), 2) + ':' + padded(time.seconds().count(), 2);
  std::string decimals;
  append_seconds(decimals, t - seconds * kSecond);
  out += decimals.substr(1);  // without the leading 0
  return out + 'Z';
}

}  // namespace weir
