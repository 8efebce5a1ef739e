#include "weir/policy/rule_conflicts.h"

#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "weir/base/hash.h"
#include "weir/base/text.h"

namespace weir {
namespace {

using RuleBy = std::unordered_map<std::string, const ParsedRule*>;

Reporter reporter(const ParsedRule& rule, Problems& problems) {
  return {problems, fmt::format("rule \"{}\": ", printable(rule.rule.name))};
}

/// Everything about a rule but its name and what its buckets are called.
std::string meaning_of(const ParsedRule& parsed, const Dimensions& dimensions) {
  KeyBytes bytes;
  bytes.append(identity_of(parsed.match, dimensions));
  for (const std::string& dimension : parsed.rule.key) bytes.append(dimension);
  for (std::size_t i = 0; i < parsed.rule.limits.size(); ++i) {
    const RuleLimit& limit = parsed.rule.limits[i];
    bytes.append(i == 0 ? "" : identity_of(parsed.overrides[i - 1], dimensions));
    bytes.append(limit.unlimited ? "unlimited" : describe(limit.limit));
  }
  bytes.append(static_cast<std::uint64_t>(parsed.rule.action));
  bytes.append(parsed.rule.cost);
  bytes.append(static_cast<std::uint64_t>(parsed.rule.charge_denied));
  bytes.append(static_cast<std::uint64_t>(parsed.rule.on_missing));
  return std::string(bytes.view());
}

bool check_names(std::span<const ParsedRule> rules, Problems& problems) {
  bool good = true;
  RuleBy by_name;
  for (const ParsedRule& rule : rules) {
    const auto [before, is_new] = by_name.emplace(rule.rule.name, &rule);
    if (is_new) continue;
    reporter(rule, problems)
        .add(rule.place, fmt::format("another rule at {} has this name; names are unique",
                                     to_text(before->second->place)));
    good = false;
  }
  return good;
}

void check_meanings(std::span<const ParsedRule> rules, const Dimensions& dimensions, Problems& problems) {
  RuleBy by_meaning;
  for (const ParsedRule& rule : rules) {
    const auto [before, is_new] = by_meaning.emplace(meaning_of(rule, dimensions), &rule);
    if (is_new) continue;
    reporter(rule, problems)
        .add(rule.place, fmt::format("it says the same as rule \"{}\" at {}; keep one",
                                     printable(before->second->rule.name), to_text(before->second->place)));
  }
}

/// Whether what one of them counts means the same to the other.
bool count_alike(const ParsedRule& a, const ParsedRule& b) {
  const Limit& left = a.rule.limits.front().limit;
  const Limit& right = b.rule.limits.front().limit;
  return a.rule.key == b.rule.key && left == right &&
         (a.rule.action == Action::shadow) == (b.rule.action == Action::shadow);
}

void check_shared_buckets(std::span<const ParsedRule> rules, Problems& problems) {
  RuleBy by_counted_as;
  std::unordered_map<std::string, std::pair<const ParsedRule*, const RuleLimit*>> by_bucket;
  for (const ParsedRule& rule : rules) {
    if (rule.unlimited) continue;
    const auto [first, is_new] = by_counted_as.emplace(rule.counted_as, &rule);
    if (!is_new && !count_alike(*first->second, rule)) {
      reporter(rule, problems)
          .add(rule.place,
               fmt::format(
                   "it counts in the buckets of \"{}\" like the rule at {}, and so needs the same key, "
                   "limit and action",
                   printable(rule.counted_as), to_text(first->second->place)));
      continue;
    }
    for (const RuleLimit& limit : rule.rule.limits) {
      if (limit.unlimited) continue;
      const auto [other, is_first] = by_bucket.try_emplace(limit.bucket_name, &rule, &limit);
      if (is_first || other->second.second->limit == limit.limit) continue;
      reporter(rule, problems)
          .add(rule.place,
               fmt::format(
                   "its override for {} counts in one bucket with that of the rule at {}, and so needs "
                   "the same limit",
                   limit.because, to_text(other->second.first->place)));
    }
  }
}

}  // namespace

void check_conflicts(std::span<const ParsedRule> rules, const Dimensions& dimensions, Problems& problems) {
  // Two rules of one name would be told of a second and a third time below.
  if (!check_names(rules, problems)) return;
  check_meanings(rules, dimensions, problems);
  check_shared_buckets(rules, problems);
}

}  // namespace weir
