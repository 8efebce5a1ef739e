#include "weir/replay/replay.h"

#include <algorithm>

namespace weir {
namespace {

bool same(const BucketVerdict& a, const BucketVerdict& b) {
  return a.verdict == b.verdict && a.full == b.full;
}

std::vector<RuleKeyDenied> most_denied(const std::vector<RuleReport>& rules, std::size_t top) {
  std::vector<RuleKeyDenied> all;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (rules[rule].shadow) continue;
    for (const KeyDenied& who : rules[rule].top_denied) all.push_back({rule, who});
  }
  std::stable_sort(all.begin(), all.end(), [](const RuleKeyDenied& a, const RuleKeyDenied& b) {
    return a.who.denied != b.who.denied ? a.who.denied > b.who.denied : a.who.key < b.who.key;
  });
  if (all.size() > top) all.resize(top);
  return all;
}

}  // namespace

ReplayOptions fitted(ReplayOptions options, std::uint64_t events, std::size_t rules) {
  // Twice what may be needed, so that the table never gets crowded.
  const Wide needed = Wide{events} * rules * 2 + 1024;
  if (needed < options.max_keys) options.max_keys = static_cast<std::size_t>(needed);
  return options;
}

Replay::Replay(std::shared_ptr<const Policy> policy, TimeFrame frame, ReplayOptions options)
    : policy_(std::move(policy)),
      engine_(policy_,
              EngineOptions{
                  .store = {.max_keys = options.max_keys, .max_memory = options.max_memory, .frame = frame},
                  .secret = HashSecret::fixed(kCommandLineSeed)}) {
  for (const Rule& rule : policy_->rules()) rules_.emplace_back(rule, options.tally_keys);
}

const Decision& Replay::decide(const Event& event) {
  decision_ = engine_.decide(Request{event.dimensions, event.cost}, event.time, trace_);
  tally(event, 1);
  return decision_;
}

void Replay::decide_all(const Event& event) {
  std::uint64_t alike = 0;  // verdicts in a row that say what the one before said
  for (std::uint64_t done = 0; done < event.weight;) {
    decide(event);
    ++done;
    // At one instant, what a request changes shows in the verdict on the next, but for debt. Where enough in
    // a row are told the same nothing changes any more, and a line that claims to stand for billions costs no
    // more than those.
    const std::vector<BucketVerdict>& verdicts = trace_.verdicts;
    const bool like_last = done >= 2 && std::equal(verdicts.begin(), verdicts.end(), last_verdicts_.begin(),
                                                   last_verdicts_.end(), same);
    alike = like_last ? alike + 1 : 0;
    if (like_last && alike >= enough_alike(event)) {
      tally(event, event.weight - done);
      return;
    }
    if (event.weight > 1) last_verdicts_.assign(verdicts.begin(), verdicts.end());
  }
}

/// How many verdicts must be like the one before until no bucket that `event` meets can change any more.
std::uint64_t Replay::enough_alike(const Event& event) const {
  std::uint64_t enough = 1;
  for (const Match& match : trace_.matches.rules()) {
    const Rule& rule = policy_->rules()[match.rule];
    const RuleLimit& limit = rule.limits[match.limit];
    const std::uint64_t units = rule.units(event.cost);
    if (!rule.charge_denied || limit.unlimited || units == 0) continue;
    // Each of those denied takes on debt, which may not show; at twice the capacity it is at its most.
    enough = std::max(enough, 2 * capacity(limit.limit) / units + 1);
  }
  return enough;
}

void Replay::tally(const Event& event, std::uint64_t requests) {
  if (requests == 0) return;
  totals_.requests += requests;
  (decision_.allowed ? totals_.admitted : totals_.denied) += requests;
  if (decision_.allowed && decision_.delay > 0) totals_.delayed += requests;
  if (const auto lifted_by = trace_.matches.unlimited_by()) {
    totals_.lifted += requests;
    rules_[*lifted_by].add_unlimited(requests);
    return;
  }
  if (trace_.matches.rules().empty()) totals_.unmatched += requests;
  tally_rules(event, requests);
}

void Replay::tally_rules(const Event& event, std::uint64_t requests) {
  const std::span<const Match> matches = trace_.matches.rules();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    rules_[matches[i].rule].add(outcome_of(i, event, requests));
  }
  for (const std::uint32_t rule : trace_.matches.skipped()) rules_[rule].add_skipped(requests);
}

RuleOutcome Replay::outcome_of(std::size_t i, const Event& event, std::uint64_t requests) const {
  const Match& match = trace_.matches.rules()[i];
  const BucketVerdict& said = trace_.verdicts[i];
  const Rule& rule = policy_->rules()[match.rule];
  const bool alone = rule.action == Action::shadow || policy_->charging() == Charging::each;
  RuleOutcome outcome{.time = event.time, .limit = match.limit, .key = match.key, .requests = requests};
  if (!match.missing) outcome.bucket = match.bucket;
  outcome.units = rule.units(event.cost);
  outcome.violated = !said.verdict.allowed;
  outcome.charged = said.verdict.allowed && (alone || decision_.allowed);
  outcome.delayed = outcome.charged && said.verdict.delay > 0;
  outcome.full = said.full;
  return outcome;
}

ReplayReport Replay::report(std::size_t top) const {
  ReplayReport report = totals_;
  for (const RuleTally& rule : rules_) report.rules.push_back(rule.report(top));
  report.top_denied = most_denied(report.rules, top);
  return report;
}

}  // namespace weir
