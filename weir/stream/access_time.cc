#include "weir/stream/access_time.h"

#include <cstring>

#include "weir/stream/months.h"

namespace weir {
namespace {

/// Minutes east of Greenwich from " +0130".
std::optional<int> parse_zone(std::string_view zone) {
  const int hours = two_digits(zone.substr(2));
  const int minutes = two_digits(zone.substr(4));
  if (zone[0] != ' ' || (zone[1] != '+' && zone[1] != '-')) return std::nullopt;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (zone[1] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

/// The start of the minute that "17/May/2015:10:05:" and " +0000" name.
std::optional<Nanos> parse_minute(std::string_view date, std::string_view zone) {
  if (date[2] != '/' || date[6] != '/' || date[11] != ':' || date[14] != ':' || date[17] != ':')
    return std::nullopt;
  const auto month = month_number(date.substr(3, 3));
  const int century = two_digits(date.substr(7));
  const int year = two_digits(date.substr(9));
  const auto offset = parse_zone(zone);
  if (!month || century < 0 || year < 0 || !offset) return std::nullopt;
  const auto local = from_civil(century * 100 + year, *month, two_digits(date), two_digits(date.substr(12)),
                                two_digits(date.substr(15)), 0);
  Nanos utc = 0;
  if (!local || __builtin_sub_overflow(*local, *offset * kMinute, &utc)) return std::nullopt;
  return utc;
}

}  // namespace

std::optional<Nanos> AccessTime::parse(std::string_view stamp) {
  if (stamp.size() != kLength) return std::nullopt;
  const std::string_view date = stamp.substr(0, kMinutePart);
  const std::string_view zone = stamp.substr(kZonePart);
  const std::string_view known(known_.data(), kLength);
  if (date != known.substr(0, kMinutePart) || zone != known.substr(kZonePart)) {
    const auto minute = parse_minute(date, zone);
    if (!minute) return std::nullopt;
    minute_ = *minute;
    std::memcpy(known_.data(), stamp.data(), kLength);
  }
  const int second = two_digits(stamp.substr(kMinutePart));
  Nanos time = 0;
  // 60 is a leap second, read as the second that follows.
  if (second < 0 || second > 60 || __builtin_add_overflow(minute_, second * kSecond, &time))
    return std::nullopt;
  return time;
}

}  // namespace weir
