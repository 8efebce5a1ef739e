#include "weir/cli/explain_facts.h"
#include "weir/replay/json.h"
#include "weir/replay/limit_text.h"

namespace weir {
namespace {

void write_most(JsonWriter& json, const Most& most) {
  json.begin_object();
  for (std::size_t i = 0; i < most.size(); ++i) json.key(kExplainedSpans[i].name).number(most[i]);
  json.end_object();
}

void write_key(JsonWriter& json, const Explanation::RuleShown& shown) {
  json.key("key").begin_object();
  for (const Explanation::KeyPart& part : shown.key) json.key(part.dimension).text(part.value);
  json.end_object();
}

void write_facts(JsonWriter& json, const RuleFacts& facts) {
  json.key("units").number(facts.units).key("most");
  write_most(json, facts.most);
  json.key("if_denied");
  if (facts.units == 0 && facts.retry_after == 0) {
    json.null();
  } else {
    json.begin_object().key("status").number(429);
    json.key("retry_after").seconds(facts.retry_after).end_object();
  }
  json.key("words").number(facts.words).key("log_entries").number(facts.log_entries);
}

void write_rule(JsonWriter& json, const ExplainReport& report, std::size_t i) {
  const Explanation::RuleShown& shown = report.explanation.rules[i];
  const Rule& rule = report.policy->rules()[shown.rule];
  const RuleLimit& limit = rule.limits[shown.limit];
  json.begin_object().key("name").text(rule.name).key("applies_because").text(shown.applies_because);
  json.key("action").text(name_of(rule.action)).key("limit");
  if (limit.unlimited) {
    json.null();
  } else {
    write_limit(json, limit.limit);
  }
  json.key("limit_because").text(shown.limit_because);
  write_key(json, shown);
  json.key("missing").boolean(shown.missing);
  if (report.facts[i]) write_facts(json, *report.facts[i]);
  json.end_object();
}

void write_dimensions(JsonWriter& json, const Explanation& explanation) {
  json.key("dimensions").begin_object();
  for (const auto& dimension : explanation.dimensions) json.key(dimension.name).text(dimension.value);
  json.end_object().key("ignored").begin_array();
  for (const std::string& name : explanation.ignored) json.text(name);
  json.end_array();
}

void write_skipped(JsonWriter& json, const ExplainReport& report) {
  json.key("skipped").begin_array();
  for (const Explanation::RuleSkipped& skipped : report.explanation.skipped) {
    json.begin_object().key("name").text(report.policy->rules()[skipped.rule].name);
    json.key("missing").begin_array();
    for (const std::string& name : skipped.missing) json.text(name);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_store(JsonWriter& json, const ExplainReport& report) {
  std::uint64_t buckets = 0;
  std::uint64_t words = 0;
  for (const auto& facts : report.facts) {
    buckets += facts ? 1 : 0;
    words += facts ? facts->words : 0;
  }
  json.key("store").begin_object().key("lookups").number(buckets).key("buckets").number(buckets);
  json.key("words").number(words).end_object();
}

}  // namespace

std::string json_of(const ExplainReport& report) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_dimensions(json, report.explanation);
  json.key("cost").number(report.cost).key("unlimited_by");
  if (const auto rule = report.explanation.unlimited_by) {
    json.text(report.policy->rules()[*rule].name);
  } else {
    json.null();
  }
  json.key("rules").begin_array();
  for (std::size_t i = 0; i < report.explanation.rules.size(); ++i) write_rule(json, report, i);
  json.end_array();
  write_skipped(json, report);
  json.key("others").number(report.explanation.others).key("most");
  if (report.most) {
    write_most(json, *report.most);
  } else {
    json.null();
  }
  write_store(json, report);
  json.end_object();
  return out;
}

}  // namespace weir
