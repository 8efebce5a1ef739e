// Instants and durations, both whole nanoseconds, and the ways people write them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

/// An instant (nanoseconds since 1970-01-01T00:00:00Z) or a duration in nanoseconds.
/// As an instant it reaches from 1677 to 2262.
using Nanos = std::int64_t;

inline constexpr Nanos kMicrosecond = 1'000;
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;
inline constexpr Nanos kMinute = 60 * kSecond;
inline constexpr Nanos kHour = 60 * kMinute;
inline constexpr Nanos kDay = 24 * kHour;
inline constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

/// a + b, a - b, stopping at the ends of the type instead of wrapping.
constexpr Nanos saturating_add(Nanos a, Nanos b) {
  Nanos sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<Nanos>::max() : std::numeric_limits<Nanos>::min();
}
constexpr Nanos saturating_sub(Nanos a, Nanos b) {
  Nanos difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? std::numeric_limits<Nanos>::max() : std::numeric_limits<Nanos>::min();
}

/// The last whole multiple of `step` that is not after `time`; the first instant that there is where none is.
/// REQUIRES: step > 0.
constexpr Nanos floor_to(Nanos time, Nanos step) {
  const Nanos into = time % step;
  return saturating_sub(time, into < 0 ? into + step : into);
}

/// Whole seconds, rounded up: a client that waits them has waited long enough. REQUIRES: d >= 0.
constexpr std::int64_t ceil_seconds(Nanos d) {
  return d / kSecond + (d % kSecond != 0 ? 1 : 0);
}

/// "500ms", "10s", "1m", "1h", "1d", "7d"; also "ns" and "us". A whole decimal number and a unit, nothing
/// else. Errors name what was found; zero and anything above 292 years are refused.
Result<Nanos> parse_duration(std::string_view text);

/// The shortest exact way to write a duration: "90s", "1m", "1500ms".
std::string format_duration(Nanos d);

/// Seconds with up to nine decimals, exactly: 1500000000 -> "1.5", -1 -> "-0.000000001", 0 -> "0".
void append_seconds(std::string& out, Nanos d);

/// Seconds written as a decimal number ("1431857103", "1431857103.25", "-3"), exactly and never through a
/// double. More than nine decimals are cut. Nothing when it is not such a number or does not fit.
std::optional<Nanos> parse_seconds(std::string_view text);

/// RFC 3339: "2015-05-17T10:05:03Z", "2015-05-17 10:05:03.123456789+02:00". Nothing when it is not one.
std::optional<Nanos> parse_rfc3339(std::string_view text);

/// "2015-05-17T10:05:03Z", with as many decimals as needed.
std::string format_rfc3339(Nanos t);

/// Nanoseconds for a UTC date and time of day; nothing when a field is out of range or the instant does not
/// fit. A leap second (second 60) is read as the second that follows.
std::optional<Nanos> from_civil(int year, int month, int day, int hour, int minute, int second,
                                Nanos fraction = 0);

}  // namespace weir
