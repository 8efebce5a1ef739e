#include "weir/policy/zone.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include <date/tz.h>
#include <fmt/format.h>

#include "weir/base/text.h"

namespace weir {
namespace {

const date::sys_seconds kFirst = date::sys_days(date::year(1970) / 1 / 1);
const date::sys_seconds kLast = date::sys_days(date::year(2200) / 1 / 1);

bool is_utc(std::string_view name) {
  return name == "UTC" || name == "Etc/UTC" || name == "GMT" || name == "Etc/GMT" || name == "Z";
}

Error unknown_zone(std::string_view name) {
  std::vector<std::string_view> known;
  for (const date::time_zone& zone : date::get_tzdb().zones) known.push_back(zone.name());
  const std::string guess = did_you_mean(name, known);
  return Error{fmt::format("unknown time zone \"{}\"{}", printable(name),
                           guess.empty() ? "; write a name such as Europe/London or Asia/Seoul" : guess)};
}

std::shared_ptr<const Zone> read_spans(const date::time_zone& zone) {
  auto result = std::make_shared<Zone>();
  result->name = zone.name();
  for (date::sys_seconds at = kFirst; at < kLast;) {
    const date::sys_info info = zone.get_info(at);
    const Nanos offset = std::chrono::nanoseconds(info.offset).count();
    // The database also tells apart what does not change the offset, such as the abbreviation.
    if (result->spans.empty() || result->spans.back().offset != offset) {
      result->spans.push_back({std::chrono::nanoseconds(at.time_since_epoch()).count(), offset});
    }
    at = std::max(info.end, at + std::chrono::seconds(1));
  }
  return result;
}

}  // namespace

Result<std::shared_ptr<const Zone>> load_zone(std::string_view name) {
  if (is_utc(name)) return std::shared_ptr<const Zone>();
  try {
    const auto& zones = date::get_tzdb().zones;
    const auto zone =
        std::find_if(zones.begin(), zones.end(), [&](const date::time_zone& z) { return z.name() == name; });
    if (zone == zones.end()) return unknown_zone(name);
    return read_spans(*zone);
  } catch (const std::exception& bad) {
    return Error{
        fmt::format("the system's time zone database can't be read ({}); install tzdata", bad.what())};
  }
}

}  // namespace weir
