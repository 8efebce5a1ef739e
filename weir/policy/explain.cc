#include "weir/policy/explain.h"

#include <algorithm>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/policy_index.h"

namespace weir {
namespace {

std::string why(const Condition& condition, const RequestValues& request, const Dimensions& dimensions) {
  const Value& value = request.values[condition.dimension];
  const auto atom = std::find_if(condition.any_of.begin(), condition.any_of.end(),
                                 [&](const Atom& one) { return one.matches(value); });
  if (atom == condition.any_of.end()) return {};
  const std::string_view relation = std::holds_alternative<std::string>(atom->is) ? "is"
                                    : std::holds_alternative<Prefix>(atom->is)    ? "is in"
                                                                                  : "fits";
  return fmt::format("{} {} {}", printable(dimensions[condition.dimension].name), relation,
                     printable(atom->text()));
}

std::string why(const Conditions& match, const RequestValues& request, const Dimensions& dimensions) {
  if (match.empty()) return "it applies to every request";
  std::string out;
  for (const Condition& condition : match) {
    if (!out.empty()) out += ", ";
    out += why(condition, request, dimensions);
  }
  return out;
}

std::vector<std::string> missing_of(const Rule& rule, const RequestValues& request,
                                    const Dimensions& dimensions) {
  std::vector<std::string> names;
  for (const std::string& name : rule.key) {
    const auto dimension = dimensions.find(name);
    if (dimension && request.values[*dimension].text.empty()) names.push_back(name);
  }
  return names;
}

Explanation::RuleShown show(const Match& match, const PolicyIndex& index, const RequestValues& request) {
  const Rule& rule = index.rules()[match.rule];
  Explanation::RuleShown shown{match.rule,
                               match.limit,
                               why(index.conditions(match.rule), request, index.dimensions()),
                               rule.limits[match.limit].because,
                               {},
                               match.missing};
  for (std::size_t i = 0; i < rule.key.size(); ++i)
    shown.key.push_back({rule.key[i], std::string(match.key[i])});
  return shown;
}

void show_dimensions(const Request& request, const RequestValues& values, const Dimensions& dimensions,
                     Explanation& out) {
  for (const std::uint32_t dimension : values.present) {
    const DimensionInfo& info = dimensions[dimension];
    out.dimensions.push_back({info.name, values.values[dimension].text, info.derived});
  }
  for (const Dimension& given : request.dimensions) {
    const auto dimension = dimensions.find(given.name);
    if (!dimension || dimensions[*dimension].derived) out.ignored.emplace_back(given.name);
  }
}

}  // namespace

Explanation explain(const Policy& policy, const Request& request) {
  const PolicyIndex& index = policy.index();
  Matches matches;
  // The buckets are not shown, so any secret will do.
  policy.match(request, HashSecret::fixed(0), matches);
  const RequestValues& values = PolicyIndex::scratch_of(matches).request;
  Explanation out;
  show_dimensions(request, values, index.dimensions(), out);
  out.unlimited_by = matches.unlimited_by();
  for (const Match& match : matches.rules()) out.rules.push_back(show(match, index, values));
  for (const std::uint32_t rule : matches.skipped()) {
    out.skipped.push_back({rule, missing_of(index.rules()[rule], values, index.dimensions())});
  }
  out.others = policy.rules().size() - out.rules.size() - out.skipped.size() - (out.unlimited_by ? 1 : 0);
  return out;
}

}  // namespace weir
