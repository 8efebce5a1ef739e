#include "weir/policy/zone.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <date/tz.h>
#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/posix_rule.h"

namespace weir {
namespace {

constexpr int kLastYear = 2200;
constexpr date::sys_seconds kFirst = date::sys_days(date::year(1970) / 1 / 1);
constexpr date::sys_seconds kLast = date::sys_days(date::year(kLastYear) / 1 / 1);

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

Nanos to_nanos(std::chrono::seconds seconds) {
  return std::chrono::nanoseconds(seconds).count();
}

void add_span(Zone& zone, Nanos from, Nanos offset) {
  // The database also tells apart what does not change the offset, such as the abbreviation.
  if (zone.spans.empty() || zone.spans.back().offset != offset) zone.spans.push_back({from, offset});
}

/// The rule by which a zone goes on after the last change that its file lists, in the form of POSIX's TZ
/// variable: the last line of the file. Empty when there is none.
std::string read_footer(std::string_view name) {
  std::ifstream stream("/usr/share/zoneinfo/" + std::string(name), std::ios::binary);
  std::string line;
  std::string last;
  while (std::getline(stream, line)) last.swap(line);
  return last;
}

/// The library stops at the last listed change, in 2037 for most; without this, summer time would end there.
void extend(Zone& zone, const PosixRule& rule) {
  const Nanos listed = zone.spans.back().from;
  for (int year = 1970; year < kLastYear; ++year) {
    PosixRule::Change first = rule.summer(year);
    PosixRule::Change second = rule.winter(year);
    if (second.at < first.at) std::swap(first, second);
    for (const PosixRule::Change& change : {first, second}) {
      if (change.at > listed) add_span(zone, change.at, change.offset);
    }
  }
}

std::shared_ptr<const Zone> read_spans(const date::time_zone& zone) {
  auto result = std::make_shared<Zone>();
  result->name = zone.name();
  date::sys_info info = zone.get_info(kFirst);
  add_span(*result, to_nanos(kFirst.time_since_epoch()), to_nanos(info.offset));
  while (info.end < kLast) {
    info = zone.get_info(info.end);
    add_span(*result, to_nanos(info.begin.time_since_epoch()), to_nanos(info.offset));
  }
  if (const auto rule = PosixRule::parse(read_footer(zone.name()))) extend(*result, *rule);
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
