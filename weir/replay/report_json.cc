#include "weir/replay/report_json.h"

#include "weir/base/text.h"
#include "weir/replay/limit_text.h"

namespace weir {
namespace {

void write_span(JsonWriter& json, const InputSummary& input) {
  json.key("span").begin_object();
  json.key("from").instant(input.from).key("to").instant(input.to);
  json.end_object();
}

/// What a report says of the log beyond the counts that lead it.
void write_input(JsonWriter& json, const InputSummary& input) {
  json.key("format").text(input.format);
  json.key("out_of_order").number(input.out_of_order);
  json.key("late").number(input.late).key("worst_lateness").seconds(input.worst_lateness);
  json.key("too_long").number(input.too_long);
  json.key("malformed_example");
  if (input.malformed == 0) {
    json.null();
    return;
  }
  json.begin_object().key("where").text(input.malformed_where);
  json.key("text").text(input.malformed_example).end_object();
}

void write_worst(JsonWriter& json, const std::optional<WorstWindow>& worst) {
  json.key("worst");
  if (!worst) {
    json.null();
    return;
  }
  json.begin_object().key("key").bucket_key(worst->key).key("count").number(worst->count);
  json.key("window").begin_object();
  json.key("from").instant(worst->from).key("to").instant(worst->to);
  json.end_object().end_object();
}

void write_denied(JsonWriter& json, const KeyDenied& who) {
  json.key("key").bucket_key(who.key).key("denied").number(who.denied);
}

void write_all_denied(JsonWriter& json, const std::vector<KeyDenied>& all) {
  json.key("top_denied").begin_array();
  for (const KeyDenied& who : all) {
    json.begin_object();
    write_denied(json, who);
    json.end_object();
  }
  json.end_array();
}

void write_rule(JsonWriter& json, const RuleReport& rule) {
  json.begin_object().key("name").text(rule.name);
  json.key("admitted").number(rule.admitted).key("denied").number(rule.denied);
  json.key("keys").number(rule.keys).key("keys_denied").number(rule.keys_denied);
  write_worst(json, rule.worst);
  json.key("limit").text(rule.limit).key("shadow").boolean(rule.shadow);
  json.key("requests").number(rule.requests).key("delayed").number(rule.delayed);
  json.key("skipped").number(rule.skipped).key("full").number(rule.full);
  write_all_denied(json, rule.top_denied);
  json.end_object();
}

void write_suggestion(JsonWriter& json, const Suggestion& suggestion) {
  json.begin_object().key("limit");
  write_limit(json, suggestion.limit);
  json.key("keys_touched").number(suggestion.keys_touched).key("denied").number(suggestion.denied);
  write_all_denied(json, suggestion.top_denied);
  json.end_object();
}

void append_number_or_null(std::string& out, bool known, std::uint64_t number) {
  out += known ? std::to_string(number) : "null";
}

}  // namespace

void write_report(JsonWriter& json, const ReplayReport& report, const Limit* tried) {
  json.begin_object();
  if (tried != nullptr) {
    json.key("limit");
    write_limit(json, *tried);
  }
  json.key("records").number(report.input.records).key("malformed").number(report.input.malformed);
  json.key("requests").number(report.requests).key("admitted").number(report.admitted);
  json.key("denied").number(report.denied).key("delayed").number(report.delayed);
  json.key("reordered").number(report.input.reordered);
  write_span(json, report.input);
  json.key("rules").begin_array();
  for (const RuleReport& rule : report.rules) write_rule(json, rule);
  json.end_array().key("top_denied").begin_array();
  for (const RuleKeyDenied& denied : report.top_denied) {
    json.begin_object().key("rule").text(report.rules[denied.rule].name);
    write_denied(json, denied.who);
    json.end_object();
  }
  json.end_array();
  json.key("unmatched").number(report.unmatched).key("unlimited").number(report.lifted);
  write_input(json, report.input);
  json.end_object();
}

void write_suggestions(JsonWriter& json, const SuggestReport& report) {
  json.begin_object();
  json.key("records").number(report.input.records).key("malformed").number(report.input.malformed);
  json.key("requests").number(report.requests).key("reordered").number(report.input.reordered);
  write_span(json, report.input);
  json.key("key").begin_array();
  for (const std::string& dimension : report.key) json.text(dimension);
  json.end_array().key("keys").number(report.keys).key("keys_may_be_touched").number(report.may_touch);
  json.key("suggestions").begin_array();
  for (const Suggestion& suggestion : report.suggestions) write_suggestion(json, suggestion);
  json.end_array().key("skipped").number(report.keyless);
  write_input(json, report.input);
  json.end_object();
}

void append_decision(std::string& out, Nanos time, const Decision& decision, const Policy& policy) {
  const bool ruled = decision.rule.has_value();
  out += "{\"time\":";
  append_seconds(out, time);
  out += ",\"rule\":";
  if (ruled) {
    append_json_string(out, policy.rules()[*decision.rule].name);
  } else {
    out += "null";
  }
  out += decision.allowed ? ",\"allowed\":true,\"limit\":" : ",\"allowed\":false,\"limit\":";
  append_number_or_null(out, ruled, decision.limit);
  out += ",\"remaining\":";
  append_number_or_null(out, ruled, decision.remaining);
  out += ",\"retry_after\":";
  if (decision.retry_after) {
    append_seconds(out, *decision.retry_after);
  } else {
    out += "null";
  }
  out += ",\"reset_after\":";
  if (ruled) {
    append_seconds(out, decision.reset_after);
  } else {
    out += "null";
  }
  out += "}\n";
}

}  // namespace weir
