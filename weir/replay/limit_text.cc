#include "weir/replay/limit_text.h"

#include <algorithm>
#include <array>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 4> kFields{"algorithm", "quota", "per", "burst"};

std::string quoted(std::string_view text) {
  return '"' + printable(text) + '"';
}

Status read_algorithm(Limit& limit, std::string_view text) {
  if (const auto algorithm = find_algorithm(text)) {
    limit.algorithm = *algorithm;
    return Done{};
  }
  std::vector<std::string_view> names;
  std::string list;
  for (const AlgorithmInfo& row : algorithms()) {
    names.push_back(row.name);
    list += (list.empty() ? "" : ", ") + std::string(row.name);
  }
  const std::string guess = did_you_mean(text, names);
  return Error{"unknown algorithm " + quoted(text) + (guess.empty() ? "; there are " + list : guess)};
}

Status read_per(Limit& limit, std::string_view text) {
  if (const auto unit = parse_calendar_unit(text)) {
    limit.per = Calendar(*unit);
    return Done{};
  }
  const Result<Nanos> span = parse_duration(text);
  if (!span) return Error{"per: " + span.error().message};
  limit.per = *span;
  return Done{};
}

Status read_number(std::string_view field, std::string_view text, std::uint64_t& number) {
  const auto value = parse_uint(text);
  if (!value) return Error{std::string(field) + ": " + quoted(text) + " is not a whole number"};
  number = *value;
  return Done{};
}

Status read_field(Limit& limit, std::string_view field, std::string_view text) {
  if (field == "algorithm") return read_algorithm(limit, text);
  if (field == "per") return read_per(limit, text);
  if (field == "quota") return read_number(field, text, limit.quota);
  if (field == "burst") return read_number(field, text, limit.burst.emplace());
  const std::string guess = did_you_mean(field, kFields);
  return Error{"unknown field " + quoted(field) +
               (guess.empty() ? "; there are algorithm, quota, per and burst" : guess)};
}

/// "1 day" for a calendar period, "1m" for a span.
std::string per_text(const Limit& limit) {
  if (const Nanos* span = std::get_if<Nanos>(&limit.per)) return format_duration(*span);
  return "1 " + std::string(name(std::get<Calendar>(limit.per).unit()));
}

}  // namespace

Result<Limit> parse_limit_text(std::string_view text) {
  Limit limit;
  std::vector<std::string_view> seen;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      return Error{quoted(part) + " is no field=value; write algorithm=sliding_log,quota=60,per=1m"};
    }
    const std::string_view field = trim(part.substr(0, equals));
    if (std::find(seen.begin(), seen.end(), field) != seen.end()) {
      return Error{std::string(field) + " is given twice"};
    }
    seen.push_back(field);
    if (const Status read = read_field(limit, field, trim(part.substr(equals + 1))); !read)
      return read.error();
  }
  for (const std::string_view field : {"quota", "per"}) {
    if (std::find(seen.begin(), seen.end(), field) == seen.end()) {
      return Error{"no " + std::string(field) + " given; write algorithm=sliding_log,quota=60,per=1m"};
    }
  }
  if (const auto error = find_error(limit)) return Error{error->field + ": " + error->message};
  return limit;
}

void write_limit(JsonWriter& json, const Limit& limit) {
  json.begin_object().key("algorithm").text(info(limit.algorithm).name);
  json.key("quota").number(limit.quota).key("per").text(per_text(limit));
  if (limit.burst) json.key("burst").number(*limit.burst);
  json.end_object();
}

Result<std::shared_ptr<const Policy>> policy_of(const Limit& limit, const std::vector<std::string>& key) {
  // JSON is YAML, and its strings need no thought about what a name may hold.
  std::string yaml;
  JsonWriter json(yaml);
  json.begin_object().key("domain").text("replay").key("rules").begin_array().begin_object();
  json.key("name").text("try").key("key").begin_array();
  for (const std::string& dimension : key) json.text(dimension);
  json.end_array().key("limit");
  write_limit(json, limit);
  json.end_object().end_array().end_object();
  Result<Policy> policy = Policy::parse(yaml, "--key");
  if (!policy) return policy.error();
  return std::shared_ptr<const Policy>(std::make_shared<Policy>(std::move(policy).value()));
}

}  // namespace weir
