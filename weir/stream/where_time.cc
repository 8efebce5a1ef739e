#include "weir/stream/where_time.h"

#include <algorithm>
#include <optional>
#include <string>

#include "weir/base/text.h"
#include "weir/stream/event_time.h"

namespace weir {
namespace {

constexpr std::string_view kDayForm = "2024-05-01";
constexpr std::string_view kMinuteForm = "2024-05-01T10:00";

bool looks_like_a_day(std::string_view text) {
  if (text.size() < kDayForm.size()) return false;
  for (std::size_t i = 0; i < kDayForm.size(); ++i) {
    if (kDayForm[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  return true;
}

/// "2024-05-01T10:00Z" with the seconds that RFC 3339 wants; anything else as it is.
std::string with_seconds(std::string_view text) {
  std::string whole(text.substr(0, kMinuteForm.size()));
  const std::string_view rest = text.substr(whole.size());
  const bool ends_with_minute = whole.size() == kMinuteForm.size() && looks_like_a_day(text) &&
                                text[13] == ':' && !rest.starts_with(':');
  if (ends_with_minute) whole += ":00";
  whole += rest;
  return whole;
}

/// What a number that is no time in seconds would be if it counted thousandths, millionths or billionths.
std::optional<std::string> in_seconds(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  for (const std::size_t decimals : {3U, 6U, 9U}) {
    if (text.size() <= decimals) break;
    std::string seconds(text.substr(0, text.size() - decimals));
    seconds += '.';
    seconds += text.substr(text.size() - decimals);
    if (parse_seconds(seconds)) return seconds;
  }
  return std::nullopt;
}

}  // namespace

Result<WhereTime> parse_where_time(std::string_view text) {
  if (text.size() == kDayForm.size() && looks_like_a_day(text)) {
    std::string midnight(text);
    midnight += "T00:00:00Z";
    if (const auto day = parse_rfc3339(midnight)) return WhereTime{.instant = *day, .is_day = true};
  }
  if (const auto instant = parse_event_time(with_seconds(text))) return WhereTime{.instant = *instant};
  if (const auto seconds = in_seconds(text)) {
    return Error{"is no time in seconds since 1970, which end in 2262; write " + *seconds +
                 " if it counts parts of a second"};
  }
  return Error{
      "is no time; write one such as 2024-05-01T10:00:00Z, a day such as 2024-05-01, or seconds since 1970"};
}

}  // namespace weir
