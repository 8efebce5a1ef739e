#include "weir/policy/policy_index.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace weir {
namespace {

/// How narrow an override is as a whole, the larger the narrower: how many of its dimensions are exact, how
/// many have one pattern or prefix, how many bits those fix, how many are lists.
using OverrideRank = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t>;

OverrideRank rank_of(const Conditions& match) {
  Specificity sum;
  std::uint32_t lists = 0;
  for (const Condition& condition : match) {
    const Specificity one = condition.specificity();
    sum.exact += one.exact;
    sum.patterns += one.patterns;
    sum.bits += one.bits;
    lists += condition.is_list ? 1 : 0;
  }
  return {sum.exact, sum.patterns, sum.bits, lists};
}

}  // namespace

PolicyIndex::PolicyIndex(Settings settings, std::vector<ParsedRule> rules) : settings_(std::move(settings)) {
  const std::size_t dimensions = settings_.dimensions.size();
  std::vector<Conditions> matches;
  for (ParsedRule& parsed : rules) {
    guides_.push_back(make_guide(parsed, dimensions));
    matches.push_back(std::move(parsed.match));
    rules_.push_back(std::move(parsed.rule));
  }
  matcher_ = MatchIndex(std::move(matches), dimensions);
}

PolicyIndex::Guide PolicyIndex::make_guide(ParsedRule& parsed, std::size_t dimensions) {
  Guide guide;
  guide.unlimited = parsed.unlimited;
  guide.key = std::move(parsed.key);
  if (parsed.overrides.empty()) return guide;
  std::vector<std::uint32_t> order(parsed.overrides.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rank_of(parsed.overrides[a]) > rank_of(parsed.overrides[b]);
  });
  std::vector<Conditions> matches;
  for (const std::uint32_t i : order) {
    matches.push_back(std::move(parsed.overrides[i]));
    guide.limit_of_override.push_back(i + 1);
  }
  guide.overrides = MatchIndex(std::move(matches), dimensions);
  return guide;
}

void PolicyIndex::resolve(const Request& request, Matches::Scratch& scratch) const {
  RequestValues& values = scratch.request;
  // Whatever policy it was that left them there.
  for (const std::uint32_t dimension : values.present) values.values[dimension].text.clear();
  for (const std::uint32_t dimension : scratch.given_list) scratch.given[dimension] = false;
  values.present.clear();
  scratch.given_list.clear();
  const Dimensions& dimensions = settings_.dimensions;
  if (values.values.size() < dimensions.size()) {
    values.values.resize(dimensions.size());
    scratch.given.resize(dimensions.size());
  }
  for (const Dimension& raw : request.dimensions) {
    const auto dimension = dimensions.find(raw.name);
    if (!dimension || scratch.given[*dimension] || dimensions[*dimension].derived) continue;
    scratch.given[*dimension] = true;
    scratch.given_list.push_back(*dimension);
    Value& value = values.values[*dimension];
    dimensions[*dimension].normalizer.apply(raw.value, value, scratch.fold);
    if (!value.text.empty()) values.present.push_back(*dimension);
  }
  for (const Lookup& lookup : settings_.lookups) lookup.derive(values);
}

std::uint32_t PolicyIndex::choose_limit(const Guide& guide, Matches::Scratch& scratch) const {
  if (guide.overrides.size() == 0) return 0;
  const auto best = guide.overrides.first(scratch.request, scratch.match);
  return best ? guide.limit_of_override[*best] : 0;
}

void PolicyIndex::add_match(std::uint32_t rule, const HashSecret& secret, Matches& out) const {
  Matches::Scratch& scratch = *out.scratch_;
  const Guide& guide = guides_[rule];
  const Rule& meaning = rules_[rule];
  const auto& values = scratch.request.values;
  const bool incomplete = std::any_of(guide.key.begin(), guide.key.end(), [&](std::uint32_t dimension) {
    return values[dimension].text.empty();
  });
  const std::uint32_t limit = choose_limit(guide, scratch);
  const RuleLimit& chosen = meaning.limits[limit];
  // What nothing holds needs no bucket, and so no key.
  if (incomplete && meaning.on_missing == OnMissing::skip && !chosen.unlimited) {
    out.skipped_.push_back(rule);
    return;
  }
  const bool missing = incomplete && meaning.on_missing == OnMissing::deny && !chosen.unlimited;
  scratch.key_bytes.clear();
  scratch.key_bytes.append(chosen.bucket_name);
  scratch.key_bytes.append(guide.key.size());
  for (const std::uint32_t dimension : guide.key) {
    scratch.key_bytes.append(values[dimension].text);
    scratch.key_values.emplace_back(values[dimension].text);
  }
  out.rules_.push_back({rule, limit, secret.hash(scratch.key_bytes.view()), {}, missing});
}

void PolicyIndex::show_keys(const std::vector<Rule>& rules, Matches& out) {
  // Only now, because the values moved while there were more to come.
  std::span<const std::string_view> rest(out.scratch_->key_values);
  for (Match& match : out.rules_) {
    const std::size_t size = rules[match.rule].key.size();
    match.key = rest.first(size);
    rest = rest.subspan(size);
  }
}

void PolicyIndex::match(const Request& request, const HashSecret& secret, Matches& out) const {
  Matches::Scratch& scratch = *out.scratch_;
  out.rules_.clear();
  out.skipped_.clear();
  out.unlimited_by_.reset();
  scratch.key_values.clear();
  resolve(request, scratch);
  const auto found = matcher_.find(scratch.request, scratch.match);
  const auto unlimited =
      std::find_if(found.begin(), found.end(), [&](std::uint32_t rule) { return guides_[rule].unlimited; });
  if (unlimited != found.end()) {
    out.unlimited_by_ = *unlimited;
    return;
  }
  // Overrides are looked for in the same room.
  scratch.matched.assign(found.begin(), found.end());
  for (const std::uint32_t rule : scratch.matched) add_match(rule, secret, out);
  show_keys(rules_, out);
}

}  // namespace weir
