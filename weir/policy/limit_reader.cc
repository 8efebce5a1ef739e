#include "weir/policy/limit_reader.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/fields.h"
#include "weir/policy/reference.h"

namespace weir {
namespace {

// What other limiters call the fields.
constexpr std::array<Synonym, 16> kSynonyms{{{"unit", "per"},
                                             {"period", "per"},
                                             {"window", "per"},
                                             {"interval", "per"},
                                             {"every", "per"},
                                             {"duration", "per"},
                                             {"limit", "quota"},
                                             {"max", "quota"},
                                             {"count", "quota"},
                                             {"rate", "quota"},
                                             {"requests", "quota"},
                                             {"requests_per_unit", "quota"},
                                             {"amount", "quota"},
                                             {"capacity", "burst"},
                                             {"max_burst", "burst"},
                                             {"type", "algorithm"}}};

struct UnitWord {
  std::string_view word;
  std::string_view symbol;
};
constexpr std::array<UnitWord, 10> kUnitWords{{{"millisecond", "ms"},
                                               {"msec", "ms"},
                                               {"second", "s"},
                                               {"sec", "s"},
                                               {"minute", "m"},
                                               {"min", "m"},
                                               {"hour", "h"},
                                               {"hr", "h"},
                                               {"day", "d"},
                                               {"week", "7d"}}};

/// "2 hours" as 2h: how a duration in words would be written.
std::optional<std::string> guess_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view count = digits == 0 ? "1" : text.substr(0, digits);
  std::string_view word = trim(text.substr(digits));
  if (word.ends_with('s') && word.size() > 1) word.remove_suffix(1);
  if (word.empty()) return std::string(count) + "s";
  for (const UnitWord& unit : kUnitWords) {
    if (word == unit.word && (unit.symbol != "7d" || count == "1")) {
      return unit.symbol == "7d" ? "7d" : fmt::format("{}{}", count, unit.symbol);
    }
  }
  return std::nullopt;
}

std::optional<std::variant<Nanos, Calendar>> read_period(const YamlNode& node,
                                                         const CalendarSettings& calendar,
                                                         const Reporter& report) {
  const auto text = read_text(node, report);
  if (!text) return std::nullopt;
  if (const auto unit = parse_calendar_unit(*text)) return Calendar(*unit, calendar.zone, calendar.reset_at);
  const auto span = parse_duration(*text);
  if (span) return *span;
  const auto guess = guess_duration(*text);
  report.add(node.place,
             guess && parse_duration(*guess).ok()
                 ? fmt::format("\"{}\" is not a duration; did you mean \"{}\"?", printable(*text), *guess)
                 : span.error().message);
  return std::nullopt;
}

std::optional<Algorithm> read_algorithm(const YamlNode& node, const Reporter& report) {
  const auto name = read_text(node, report);
  if (!name) return std::nullopt;
  if (const auto algorithm = find_algorithm(*name)) return algorithm;
  std::vector<std::string_view> names;
  for (const AlgorithmInfo& row : algorithms()) names.push_back(row.name);
  report.add(node.place, unknown_word("algorithm", *name, names));
  return std::nullopt;
}

}  // namespace

std::optional<Limit> read_limit(const YamlNode& node, const CalendarSettings& calendar,
                                const Reporter& report) {
  if (!check_fields(node, limit_fields(), kSynonyms, report)) return std::nullopt;
  const YamlNode* quota = node.find("quota");
  const YamlNode* per = node.find("per");
  if (quota == nullptr)
    report.add(node.place, "the limit has no quota; write how many are allowed, such as quota: 10");
  if (per == nullptr) report.add(node.place, "the limit has no per; write the period, such as per: 1m");
  if (quota == nullptr || per == nullptr) return std::nullopt;

  std::optional<Algorithm> algorithm = Algorithm::token_bucket;
  if (const YamlNode* name = node.find("algorithm"))
    algorithm = read_algorithm(*name, report.within("algorithm"));
  const auto count = read_number(*quota, 0, kMaxQuota, report.within("quota"));
  const auto period = read_period(*per, calendar, report.within("per"));
  std::optional<std::uint64_t> burst;
  if (const YamlNode* field = node.find("burst")) {
    burst = read_number(*field, 0, kMaxQuota, report.within("burst"));
    if (!burst) return std::nullopt;
  }
  if (!algorithm || !count || !period) return std::nullopt;

  Limit limit{.algorithm = *algorithm, .quota = *count, .per = *period, .burst = burst};
  const auto error = find_error(limit);
  if (!error) return limit;
  const YamlNode* field = node.find(error->field);
  report.within(error->field).add(field != nullptr ? field->place : node.place, error->message);
  return std::nullopt;
}

std::optional<Nanos> read_time_of_day(const YamlNode& node, const Reporter& report) {
  const auto text = read_text(node, report);
  if (!text) return std::nullopt;
  const auto hours = parse_uint(std::string_view(*text).substr(0, 2));
  if (text->size() == 5 && (*text)[2] == ':' && hours && *hours < 24) {
    const auto minutes = parse_uint(std::string_view(*text).substr(3));
    if (minutes && *minutes < 60) {
      return static_cast<Nanos>(*hours) * kHour + static_cast<Nanos>(*minutes) * kMinute;
    }
  }
  report.add(node.place,
             fmt::format("\"{}\" is not a time of day; write hours and minutes from 00:00 to 23:59, such as "
                         "\"05:00\"",
                         printable(*text)));
  return std::nullopt;
}

}  // namespace weir
