#include "weir/policy/rule_reader.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "weir/base/hash.h"
#include "weir/base/text.h"
#include "weir/policy/fields.h"
#include "weir/policy/reference.h"

namespace weir {
namespace {

constexpr std::array<Synonym, 8> kRuleSynonyms{{{"quota", "limit: {quota: …, per: …}"},
                                                {"per", "limit: {quota: …, per: …}"},
                                                {"burst", "limit: {quota: …, per: …, burst: …}"},
                                                {"algorithm", "limit: {algorithm: …, quota: …, per: …}"},
                                                {"id", "name"},
                                                {"by", "key"},
                                                {"keys", "key"},
                                                {"when", "match"}}};
constexpr std::pair<std::string_view, Action> kActions[]{{name_of(Action::deny), Action::deny},
                                                         {name_of(Action::delay), Action::delay},
                                                         {name_of(Action::shadow), Action::shadow}};
constexpr std::pair<std::string_view, OnMissing> kOnMissing[]{
    {"skip", OnMissing::skip}, {"shared", OnMissing::shared}, {"deny", OnMissing::deny}};
constexpr std::pair<std::string_view, OnFull> kOnFull[]{{"deny", OnFull::deny}, {"allow", OnFull::allow}};
constexpr std::pair<std::string_view, OnStoreError> kOnStoreError[]{
    {"allow", OnStoreError::allow}, {"deny", OnStoreError::deny}, {"local", OnStoreError::local}};
constexpr std::pair<std::string_view, Align> kAligns[]{{"epoch", Align::epoch}, {"key", Align::key}};

/// What keeps the buckets of a limit apart from all others; see RuleLimit::bucket_name.
std::string bucket_name(const ParsedRule& parsed, const Limit& limit, std::string_view override_identity) {
  KeyBytes bytes;
  bytes.append(parsed.counted_as);
  bytes.append(parsed.rule.key.size());
  for (const std::string& dimension : parsed.rule.key) bytes.append(dimension);
  bytes.append(override_identity);
  bytes.append(info(limit.algorithm).name);
  const Nanos* span = std::get_if<Nanos>(&limit.per);
  bytes.append(span != nullptr ? format_duration(*span) : std::get<Calendar>(limit.per).describe());
  bytes.append(limit.align == Align::key ? "key" : "epoch");
  return std::string(bytes.view());
}

class RuleReader {
 public:
  RuleReader(const YamlNode& node, const CalendarSettings& calendar, Dimensions& dimensions, Reporter report)
      : node_(node), calendar_(calendar), dimensions_(dimensions), report_(std::move(report)) {}

  ParsedRule read(std::string name) {
    parsed_.place = node_.place;
    parsed_.rule.name = std::move(name);
    parsed_.counted_as = parsed_.rule.name;
    check_fields(node_, rule_fields(), kRuleSynonyms, report_);
    if (const YamlNode* match = node_.find("match"))
      parsed_.match = read_match(*match, report_.within("match"));
    if (const YamlNode* unlimited = node_.find("unlimited")) {
      const auto value = read_bool(*unlimited, report_.within("unlimited"));
      if (!value) return std::move(parsed_);
      parsed_.unlimited = *value;
    }
    if (parsed_.unlimited) {
      finish_unlimited();
    } else {
      read_choices();
      read_key();
      read_limits();
      check_delay();
      name_buckets();
    }
    return std::move(parsed_);
  }

 private:
  void finish_unlimited() {
    for (const YamlNode& field : node_.children) {
      if (field.key == "name" || field.key == "match" || field.key == "unlimited") continue;
      report_.add(field.key_place,
                  fmt::format("an unlimited rule has no {}; it lifts all others", field.key));
    }
    parsed_.rule.limits.push_back({true, {}, {}, "unlimited rule"});
  }

  template <class T, std::size_t N>
  void read_into(T& out, std::string_view field, const std::pair<std::string_view, T> (&choices)[N]) {
    const YamlNode* node = node_.find(field);
    if (node == nullptr) return;
    if (const auto value = read_choice(*node, choices, report_.within(field))) out = *value;
  }

  void read_choices() {
    Rule& rule = parsed_.rule;
    read_into(rule.action, "action", kActions);
    read_into(rule.on_missing, "on_missing", kOnMissing);
    read_into(rule.on_full, "on_full", kOnFull);
    read_into(rule.on_store_error, "on_store_error", kOnStoreError);
    read_into(align_, "align", kAligns);
    if (const YamlNode* field = node_.find("charge_denied")) {
      rule.charge_denied = read_bool(*field, report_.within("charge_denied")).value_or(false);
    }
    if (const YamlNode* field = node_.find("cost")) {
      rule.cost = read_number(*field, 1, kMaxQuota, report_.within("cost")).value_or(1);
    }
    if (const YamlNode* field = node_.find("count_as")) {
      if (auto name = read_name(*field, report_.within("count_as"))) parsed_.counted_as = std::move(*name);
    }
  }

  void read_key() {
    const YamlNode* key = node_.find("key");
    if (key == nullptr) {
      report_.add(node_.place,
                  "the rule has no key; name the dimensions that have a bucket per value, such as key: "
                  "[account], or write key: [] for one bucket for all");
      return;
    }
    const Reporter report = report_.within("key");
    if (!check_list(*key, "[account], or [] for one bucket for all", report)) return;
    std::unordered_set<std::string> seen;
    for (const YamlNode& item : key->children) {
      const auto name = read_name(item, report);
      if (!name) continue;
      if (!seen.insert(*name).second) {
        report.add(item.place, fmt::format("\"{}\" is named twice", printable(*name)));
        continue;
      }
      parsed_.rule.key.push_back(*name);
      parsed_.key.push_back(dimensions_.intern(*name));
    }
  }

  void read_limits() {
    const YamlNode* limit = node_.find("limit");
    if (limit == nullptr) {
      report_.add(node_.place,
                  "the rule has no limit; write limit: {quota: 10, per: 1m}, or unlimited: true");
      return;
    }
    auto own = read_limit(*limit, calendar_, report_);
    if (own) own = aligned(*own);
    parsed_.rule.limits.push_back({false, own.value_or(Limit{}), {}, "rule's own limit"});
    if (const YamlNode* overrides = node_.find("overrides")) read_overrides(*overrides);
  }

  /// With the rule's alignment, which is about spans of fixed_window and nothing else.
  Limit aligned(Limit limit) {
    limit.align = align_;
    if (const auto error = find_error(limit); error && error->field == "align") {
      report_.within("align").add(node_.find("align")->place, error->message);
    }
    return limit;
  }

  void read_overrides(const YamlNode& overrides) {
    const std::string_view example = "[{match: {plan: paid}, limit: {quota: 100, per: 1m}}]";
    if (!check_list(overrides, example, report_.within("overrides"))) return;
    std::unordered_map<std::string, Place> seen;
    for (std::size_t i = 0; i < overrides.children.size(); ++i) {
      const YamlNode& item = overrides.children[i];
      const Reporter report = report_.within(fmt::format("override {}", i + 1));
      if (!check_fields(item, override_fields(), kRuleSynonyms, report)) continue;
      auto limit = read_override_limit(item, report);
      const YamlNode* match = item.find("match");
      if (match == nullptr) {
        report.add(item.place, "it has no match; write whom it is for, such as match: {plan: paid}");
        continue;
      }
      Conditions conditions = read_match(*match, report.within("match"));
      if (conditions.empty()) continue;
      const auto [before, is_new] = seen.emplace(identity_of(conditions, dimensions_), item.place);
      if (!is_new) {
        report.add(item.place, fmt::format("it matches the same as the override at {}; keep one",
                                           to_text(before->second)));
      }
      limit.because = describe(conditions, dimensions_);
      parsed_.rule.limits.push_back(std::move(limit));
      parsed_.overrides.push_back(std::move(conditions));
    }
  }

  RuleLimit read_override_limit(const YamlNode& item, const Reporter& report) {
    RuleLimit result;
    const YamlNode* limit = item.find("limit");
    if (const YamlNode* unlimited = item.find("unlimited")) {
      result.unlimited = read_bool(*unlimited, report.within("unlimited")).value_or(true);
    }
    if ((limit != nullptr) == result.unlimited) {
      report.add(item.place, "exactly one of limit and unlimited: true is needed");
    } else if (limit != nullptr) {
      if (auto own = read_limit(*limit, calendar_, report)) result.limit = std::move(*own);
      // Other algorithms, and calendar periods, are no less welcome beside a rule that is aligned by key.
      const bool has_spans =
          result.limit.algorithm == Algorithm::fixed_window && result.limit.per.index() == 0;
      if (has_spans) result.limit.align = align_;
    }
    return result;
  }

  Conditions read_match(const YamlNode& node, const Reporter& report) {
    Conditions conditions;
    if (node.kind != YamlNode::Kind::map || node.children.empty()) {
      report.add(node.place,
                 "a map of dimensions is needed, such as {endpoint: /login}; leave match out to match every "
                 "request");
      return conditions;
    }
    bool good = true;
    for (const YamlNode& field : node.children) {
      if (!check_name(field.key, field.key_place, report)) {
        good = false;
        continue;
      }
      const std::uint32_t dimension = dimensions_.intern(field.key);
      auto condition = read_condition(field, dimensions_[dimension].normalizer, report.within(field.key));
      good = good && condition.has_value();
      if (!condition) continue;
      condition->dimension = dimension;
      conditions.push_back(std::move(*condition));
    }
    if (!good) conditions.clear();
    std::sort(conditions.begin(), conditions.end(), [&](const Condition& a, const Condition& b) {
      return dimensions_[a.dimension].name < dimensions_[b.dimension].name;
    });
    return conditions;
  }

  void check_delay() {
    if (parsed_.rule.action != Action::delay) return;
    const auto can_delay = [](const RuleLimit& limit) {
      return limit.unlimited || limit.limit.algorithm == Algorithm::leaky_bucket;
    };
    const auto& limits = parsed_.rule.limits;
    if (std::all_of(limits.begin(), limits.end(), can_delay)) return;
    report_.within("action").add(
        node_.find("action")->place,
        "only leaky_bucket can delay; write algorithm: leaky_bucket in the limit and its "
        "overrides, or action: deny");
  }

  void name_buckets() {
    auto& limits = parsed_.rule.limits;
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const std::string override_identity = i == 0 ? "" : identity_of(parsed_.overrides[i - 1], dimensions_);
      limits[i].bucket_name = bucket_name(parsed_, limits[i].limit, override_identity);
    }
  }

  const YamlNode& node_;
  const CalendarSettings& calendar_;
  Dimensions& dimensions_;
  Reporter report_;
  ParsedRule parsed_;
  Align align_ = Align::epoch;
};

}  // namespace

std::optional<ParsedRule> read_rule(const YamlNode& node, const CalendarSettings& calendar,
                                    Dimensions& dimensions, Problems& problems) {
  const Reporter unnamed(problems, "a rule: ");
  if (node.kind != YamlNode::Kind::map) {
    unnamed.add(node.place,
                "a map is needed, such as {name: chat, key: [account], limit: {quota: 5, per: 10s}}");
    return std::nullopt;
  }
  const YamlNode* field = node.find("name");
  if (field == nullptr) {
    unnamed.add(node.place, "it has no name; give it one, such as name: chat");
    return std::nullopt;
  }
  auto name = read_name(*field, unnamed.within("name"));
  if (!name) return std::nullopt;
  const Reporter report(problems, fmt::format("rule \"{}\": ", printable(*name)));
  return RuleReader(node, calendar, dimensions, report).read(std::move(*name));
}

std::string identity_of(const Conditions& match, const Dimensions& dimensions) {
  KeyBytes bytes;
  for (const Condition& condition : match) {
    std::vector<std::string> atoms;
    for (const Atom& atom : condition.any_of) atoms.push_back(atom.identity());
    std::sort(atoms.begin(), atoms.end());
    bytes.append(dimensions[condition.dimension].name);
    bytes.append(atoms.size());
    for (const std::string& atom : atoms) bytes.append(atom);
  }
  return std::string(bytes.view());
}

std::string describe(const Conditions& match, const Dimensions& dimensions) {
  // A list of thousands is told by its beginning.
  constexpr std::size_t shown = 3;
  if (match.empty()) return "every request";
  std::string out;
  for (const Condition& condition : match) {
    if (!out.empty()) out += ", ";
    out += printable(dimensions[condition.dimension].name);
    const std::size_t count = condition.any_of.size();
    for (std::size_t i = 0; i < std::min(count, shown); ++i) {
      out += i == 0 ? " " : " or ";
      out += printable(condition.any_of[i].text());
    }
    if (count > shown) out += fmt::format(" or {} more", count - shown);
  }
  return out;
}

}  // namespace weir
