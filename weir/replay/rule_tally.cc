#include "weir/replay/rule_tally.h"

#include <algorithm>

namespace weir {
namespace {

BucketKey copy_of(std::span<const std::string_view> key) {
  return {key.begin(), key.end()};
}

}  // namespace

Nanos trailing_span(const Limit& limit) {
  if (const Nanos* span = std::get_if<Nanos>(&limit.per)) return *span;
  switch (std::get<Calendar>(limit.per).unit()) {
    case CalendarUnit::day:
      return kDay;
    case CalendarUnit::week:
      return 7 * kDay;
    case CalendarUnit::month:
      return 28 * kDay;
    case CalendarUnit::year:
      break;
  }
  return 365 * kDay;
}

RuleTally::RuleTally(const Rule& rule, bool per_key) : per_key_(per_key) {
  for (const RuleLimit& limit : rule.limits) {
    spans_.push_back(limit.unlimited ? std::nullopt : std::optional(trailing_span(limit.limit)));
  }
  totals_.name = rule.name;
  totals_.limit = rule.limits.at(0).unlimited ? "unlimited" : describe(rule.limits.at(0).limit);
  totals_.key = rule.key;
  totals_.shadow = rule.action == Action::shadow;
}

void RuleTally::add(const RuleOutcome& outcome) {
  totals_.requests += outcome.requests;
  if (outcome.full) totals_.full += outcome.requests;
  if (outcome.violated) totals_.denied += outcome.requests;
  if (outcome.charged) totals_.admitted += outcome.requests;
  if (outcome.delayed) totals_.delayed += outcome.requests;
  if (!per_key_) return;
  KeyTally& tally = tally_of(outcome);
  if (outcome.violated) add_denied(tally, outcome);
  if (outcome.charged) add_charged(tally, outcome);
}

void RuleTally::add_unlimited(std::uint64_t requests) {
  totals_.requests += requests;
  totals_.admitted += requests;
}

KeyTally& RuleTally::tally_of(const RuleOutcome& outcome) {
  if (!outcome.bucket) {
    if (!keyless_) keyless_.emplace();
    return *keyless_;
  }
  const std::uint32_t number = index_.number_of(*outcome.bucket);
  if (number == keys_.size()) keys_.emplace_back();
  return keys_[number];
}

void RuleTally::add_denied(KeyTally& tally, const RuleOutcome& outcome) {
  if (tally.denied == 0) {
    tally.name = static_cast<std::uint32_t>(denied_keys_.size());
    denied_keys_.push_back(copy_of(outcome.key));
  }
  tally.denied += outcome.requests;
}

void RuleTally::add_charged(KeyTally& tally, const RuleOutcome& outcome) {
  const std::optional<Nanos> span = spans_[outcome.limit];
  if (!span || outcome.units == 0) return;
  const Wide units = Wide{outcome.units} * outcome.requests;
  const auto most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t count =
      tally.admitted.add(outcome.time, static_cast<std::uint64_t>(std::min<Wide>(units, most)), *span);
  // The first to get there stays: later ones only tie with it.
  if (totals_.worst && count <= totals_.worst->count) return;
  totals_.worst = WorstWindow{copy_of(outcome.key), count, saturating_sub(outcome.time, *span), outcome.time};
}

std::vector<KeyDenied> RuleTally::most_denied(std::size_t top) const {
  std::vector<const KeyTally*> denied;
  for (const KeyTally& tally : keys_) {
    if (tally.denied > 0) denied.push_back(&tally);
  }
  if (keyless_ && keyless_->denied > 0) denied.push_back(&*keyless_);
  const auto before = [&](const KeyTally* a, const KeyTally* b) {
    if (a->denied != b->denied) return a->denied > b->denied;
    return denied_keys_[a->name] < denied_keys_[b->name];
  };
  const std::size_t shown = std::min(top, denied.size());
  std::partial_sort(denied.begin(), denied.begin() + static_cast<std::ptrdiff_t>(shown), denied.end(),
                    before);
  std::vector<KeyDenied> most;
  for (std::size_t i = 0; i < shown; ++i) most.push_back({denied_keys_[denied[i]->name], denied[i]->denied});
  return most;
}

RuleReport RuleTally::report(std::size_t top) const {
  RuleReport report = totals_;
  report.keys = index_.size();
  report.keys_denied = denied_keys_.size();
  report.top_denied = most_denied(top);
  return report;
}

}  // namespace weir
