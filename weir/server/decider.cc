#include "weir/server/decider.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "weir/base/wide.h"

namespace weir::server {
namespace {

/// Buckets that fill at a steady rate: one more unit is there as much earlier than all of them as the units
/// behind it take.
Nanos until_more_at_rate(const Limit& limit, const Decision& decision) {
  const auto per = static_cast<std::uint64_t>(std::get<Nanos>(limit.per));
  const std::uint64_t behind = decision.limit - decision.remaining - 1;
  const auto wait = mul_div_floor(behind, per, limit.quota);
  const auto reset = static_cast<std::uint64_t>(decision.reset_after);
  return wait >= reset ? 0 : static_cast<Nanos>(reset - static_cast<std::uint64_t>(wait));
}

}  // namespace

void Decider::begin() {
  // The last one stays, so that the usual request does not touch the count of its owners.
  if (held_.size() > 1) held_.erase(held_.begin(), held_.end() - 1);
  read_at_ = since_boot_();
  now_ = clock_.at({.wall = 0, .since_boot = read_at_});
}

const Policy* Decider::hold_policy() {
  if (held_.empty() || held_.back() != trace_.plan) held_.push_back(trace_.plan);
  return &trace_.plan->policy();
}

void Decider::decide(std::span<const Request> requests, std::span<Told> told) {
  decisions_.resize(std::max(decisions_.size(), std::min(requests.size(), Engine::kBatch)));
  // In pieces that the trace keeps whole, so that all of it can be counted.
  for (std::size_t begin = 0; begin < requests.size(); begin += Engine::kBatch) {
    const std::size_t count = std::min(Engine::kBatch, requests.size() - begin);
    const std::span<Decision> decisions = std::span(decisions_).first(count);
    engine_.decide(requests.subspan(begin, count), now_, decisions, trace_);
    const Nanos started = std::exchange(read_at_, since_boot_());
    counters_.decide_time.observe(read_at_ - started);
    const Policy* policy = hold_policy();
    const std::span<Told> piece = told.subspan(begin, count);
    for (std::size_t i = 0; i < count; ++i) piece[i] = {decisions[i], policy};
    this->count(piece);
  }
}

Told Decider::peek(const Request& request) {
  const Decision decision = engine_.peek(request, now_, trace_);
  return {decision, hold_policy()};
}

void Decider::count(std::span<const Told> told) {
  counters_.use(trace_.plan);
  counters_.checks.add(told.size());
  for (const Told& each : told) {
    if (!each.decision.rule) {
      counters_.without_rule.add();
      continue;
    }
    RuleCounters& rule = counters_.rule(*each.decision.rule);
    (each.decision.allowed ? rule.allowed : rule.denied).add();
  }
  for (std::size_t i = 0; i < trace_.met.size(); ++i) count_verdict(i);
  for (const std::uint32_t rule : trace_.skipped) counters_.rule(rule).missing_skipped.add();
}

void Decider::count_verdict(std::size_t met) {
  RuleCounters& rule = counters_.rule(trace_.met[met].rule);
  if (trace_.met[met].missing) {
    rule.missing_denied.add();
  } else if (trace_.ask_of[met] != Trace::kNoAsk) {
    const BucketVerdict& said = trace_.said[trace_.ask_of[met]];
    (said.verdict.allowed ? rule.verdict_allowed : rule.verdict_denied).add();
    if (said.full) rule.full.add();
  }
}

std::optional<Nanos> Decider::until_more(const Request& request, const Told& told) {
  const Decision& decision = told.decision;
  if (!decision.rule || decision.remaining >= decision.limit) return std::nullopt;
  if (decision.full) return decision.retry_after;
  const Limit& limit = told.limit().limit;
  switch (limit.algorithm) {
    case Algorithm::token_bucket:
    case Algorithm::gcra:
    case Algorithm::leaky_bucket:
      return until_more_at_rate(limit, decision);
    case Algorithm::fixed_window:
      return decision.reset_after;
    case Algorithm::sliding_log:
    case Algorithm::sliding_counter:
      return until_more_by_asking(request, told);
  }
  return std::nullopt;
}

/// Asks what a request that needs one more than is left would be told.
Nanos Decider::until_more_by_asking(const Request& request, const Told& told) {
  Request larger = request;
  larger.cost = told.decision.remaining / told.rule().cost + 1;
  engine_.peek(larger, now_, trace_);
  const auto rules = trace_.matches.rules();
  // Rules have other numbers once the policy is another.
  for (std::size_t i = 0; &trace_.plan->policy() == told.policy && i < rules.size(); ++i) {
    if (rules[i].rule != *told.decision.rule) continue;
    return trace_.verdicts[i].verdict.retry_after.value_or(told.decision.reset_after);
  }
  return told.decision.reset_after;
}

}  // namespace weir::server
