#include "weir/cli/explain_facts.h"

#include <algorithm>

#include "weir/limit/kernel.h"
#include "weir/policy/greedy.h"

namespace weir {
namespace {

/// The wait after the whole capacity has gone at once.
std::optional<Nanos> wait_when_spent(const Limit& limit, std::uint64_t units, Nanos now) {
  // Windows of a span begin at 1970, so that the wait from there on is the longest.
  const Nanos start = std::holds_alternative<Calendar>(limit.per) ? now : 0;
  const Kernel kernel(limit, TimeFrame::starting_at(start));
  State state;
  std::vector<LogEntry> ring(2);
  if (kernel.uses_log()) state.ring = ring;
  static_cast<void>(kernel.decide(state, start, Ask{.cost = capacity(limit)}));
  return kernel.decide(state, start, Ask{.cost = units}).retry_after;
}

/// Requests of `units` each at the most.
std::uint64_t most_requests(const Limit& limit, std::uint64_t units, Nanos span) {
  const std::uint64_t most = greedy_most(limit, span);
  if (units > capacity(limit)) return 0;
  if (units <= 1) return most;
  Limit whole = limit;  // what is left of a window by less than one request is lost to it
  whole.quota /= units;
  switch (limit.algorithm) {
    case Algorithm::fixed_window:
    case Algorithm::sliding_log:
      return greedy_most(whole, span);
    case Algorithm::sliding_counter:
      // A bound: no more than the units, nor than whole requests in each window.
      whole.algorithm = Algorithm::fixed_window;
      return std::min(most / units, greedy_most(whole, span));
    case Algorithm::leaky_bucket:
      // The first leaves at once, and each takes the time of its units.
      return most / units + (most % units != 0 ? 1 : 0);
    default:
      return most / units;
  }
}

bool holds_back(const Rule& rule) {
  return rule.action != Action::shadow;
}

}  // namespace

RuleFacts facts_of(const Rule& rule, const Limit& limit, std::uint64_t cost, Nanos now) {
  RuleFacts facts{.units = rule.units(cost)};
  for (std::size_t i = 0; i < facts.most.size(); ++i) {
    facts.most[i] = most_requests(limit, facts.units, kExplainedSpans[i].span);
  }
  facts.retry_after = wait_when_spent(limit, facts.units, now);
  facts.words = Kernel(limit, TimeFrame::starting_at(now)).words();
  if (limit.algorithm == Algorithm::sliding_log) facts.log_entries = limit.quota;
  return facts;
}

ExplainReport explain_request(const Policy& policy, const Request& request, Nanos now) {
  ExplainReport report{.policy = &policy,
                       .explanation = explain(policy, request),
                       .cost = request.cost,
                       .facts = {},
                       .most = {}};
  for (const Explanation::RuleShown& shown : report.explanation.rules) {
    const Rule& rule = policy.rules()[shown.rule];
    const RuleLimit& limit = rule.limits[shown.limit];
    if (shown.missing || limit.unlimited) {
      report.facts.emplace_back();
      continue;
    }
    const RuleFacts facts = facts_of(rule, limit.limit, request.cost, now);
    report.facts.emplace_back(facts);
    if (!holds_back(rule)) continue;
    if (!report.most) report.most = facts.most;
    for (std::size_t i = 0; i < facts.most.size(); ++i) {
      (*report.most)[i] = std::min((*report.most)[i], facts.most[i]);
    }
  }
  return report;
}

}  // namespace weir
