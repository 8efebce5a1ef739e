#include "weir/engine/engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "weir/engine/charges.h"
#include "weir/limit/charge.h"

namespace weir {
namespace {

BucketAsk make_ask(const Rule& rule, const Match& match, LimitId limit, const Request& request) {
  return {.bucket = match.bucket,
          .limit = limit,
          .ask = {.cost = rule.units(request.cost), .charge_denied = rule.charge_denied},
          .allow_when_full = rule.on_full == OnFull::allow,
          .shadow = rule.action == Action::shadow};
}

void clear(Trace& trace) {
  trace.asks.clear();
  trace.ask_of.clear();
  trace.met.clear();
  trace.skipped.clear();
  trace.requests.clear();
  trace.met_ends.clear();
}

}  // namespace

Engine::Engine(std::shared_ptr<const Policy> policy, EngineOptions options)
    : store_(std::make_shared<MemoryStore>(options.store)),
      secret_(options.secret),
      plan_(std::make_shared<const Plan>(store_, std::move(policy), rooms_, kForever)),
      current_(plan_.get()) {}

Engine::~Engine() = default;

const Plan& Engine::enter(Trace& trace) const {
  if (trace.plan.get() != current_.load(std::memory_order_acquire)) {
    const std::shared_ptr<const Plan> old = std::move(trace.plan);  // outlives the lock: its end may be long
    const std::lock_guard lock(reload_);
    trace.plan = plan_;
  }
  return *trace.plan;
}

/// Matches one more request and writes down what it asks of which bucket.
void Engine::meet(const Plan& plan, const Request& request, Trace& trace) const {
  plan.policy().match(request, secret_, trace.matches);
  bool veto = false;
  for (const Match& match : trace.matches.rules()) {
    const Rule& rule = plan.policy().rules()[match.rule];
    trace.met.push_back({match.rule, match.limit, match.missing});
    if (match.missing || rule.limits[match.limit].unlimited) {
      veto = veto || (match.missing && rule.action != Action::shadow);
      trace.ask_of.push_back(Trace::kNoAsk);
      continue;
    }
    trace.ask_of.push_back(static_cast<std::uint32_t>(trace.asks.size()));
    trace.asks.push_back(make_ask(rule, match, plan.limit(match), request));
  }
  const auto skipped = trace.matches.skipped();
  trace.skipped.insert(trace.skipped.end(), skipped.begin(), skipped.end());
  trace.met_ends.push_back(trace.met.size());
  trace.requests.push_back({static_cast<std::uint32_t>(trace.asks.size()), veto});
  trace.said.resize(trace.asks.size());
}

/// The decision on one of the requests met. Leaves in the trace what its rules said.
Decision Engine::tell(const Plan& plan, std::size_t request, Trace& trace) const {
  trace.verdicts.clear();
  DecisionMaker maker;
  const std::size_t begin = request == 0 ? 0 : trace.met_ends[request - 1];
  for (std::size_t i = begin; i < trace.met_ends[request]; ++i) {
    const auto [rule_index, limit_index, missing] = trace.met[i];
    const Rule& rule = plan.policy().rules()[rule_index];
    BucketVerdict said{.verdict = {.allowed = !missing}};
    if (missing) said.verdict.retry_after = std::nullopt;
    const bool holds = missing || trace.ask_of[i] != Trace::kNoAsk;
    if (trace.ask_of[i] != Trace::kNoAsk) said = trace.said[trace.ask_of[i]];
    trace.verdicts.push_back(said);
    if (holds && rule.action != Action::shadow)
      maker.add({rule_index, rule.action, said.verdict, limit_index, said.full});
  }
  return maker.decision();
}

void Engine::decide_batch(const Plan& plan, std::span<const Request> requests, Nanos now,
                          std::span<Decision> decisions, Trace& trace) {
  clear(trace);
  for (const Request& request : requests) meet(plan, request, trace);
  if (plan.policy().charging() == Charging::each) {
    store_->decide_each(trace.asks, now, trace.said);
  } else {
    store_->decide_many(trace.asks, trace.requests, now, trace.said);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) decisions[i] = tell(plan, i, trace);
}

Decision Engine::decide(const Request& request, Nanos now, Trace& trace) {
  Decision decision;
  decide_batch(enter(trace), {&request, 1}, now, {&decision, 1}, trace);
  return decision;
}

void Engine::decide(std::span<const Request> requests, Nanos now, std::span<Decision> decisions,
                    Trace& trace) {
  const Plan& plan = enter(trace);
  for (std::size_t begin = 0; begin < requests.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, requests.size() - begin);
    decide_batch(plan, requests.subspan(begin, count), now, decisions.subspan(begin, count), trace);
  }
}

Charged Engine::charged(const Trace& trace, bool admitted, Nanos now) {
  Charged all;
  all.plan = trace.plan;
  const auto add = [&](bool places) {
    for_each_admitted(trace, [&](const BucketAsk& ask, const Verdict& said, const Rule&, const Limit& limit) {
      if (!admitted && !ask.shadow) return;
      if ((limit.algorithm == Algorithm::leaky_bucket) != places) return;
      // A place in a queue weighs all of it until its turn comes.
      const Nanos from = saturating_add(charged_at(limit, now, said), said.delay);
      all.asks.push_back(ask);
      all.charges.push_back({.at = from, .cost = ask.ask.cost});
    });
  };
  add(false);
  all.places = all.asks.size();
  add(true);
  all.places = all.asks.size() - all.places;
  return all;
}

Decision Engine::admit(const Request& request, Nanos now, Nanos most_delay, Trace& trace) {
  const auto in_time = [&](Decision decision) {
    if (!decision.allowed || decision.delay <= most_delay) return decision;
    decision.allowed = false;
    decision.retry_after = std::exchange(decision.delay, 0);
    return decision;
  };
  const Decision seen = in_time(peek(request, now, trace));
  if (!seen.allowed) return seen;
  const Plan& plan = *trace.plan;
  for (BucketAsk& ask : trace.asks) ask.ask.charge_denied = false;
  store_->decide(trace.asks, now, trace.said);
  const Decision had = tell(plan, 0, trace);
  const Decision decision = in_time(had);
  // Somebody was faster between the two.
  if (!decision.allowed) {
    const Charged back = charged(trace, had.allowed, now);
    give_back(back.asks, back.charges, now);
  }
  return decision;
}

Decision Engine::peek(const Request& request, Nanos now, Trace& trace) {
  const Plan& plan = enter(trace);
  clear(trace);
  meet(plan, request, trace);
  store_->peek(trace.asks, now, trace.said);
  return tell(plan, 0, trace);
}

void Engine::refund(const Request& request, Nanos now, Trace& trace) {
  const Plan& plan = enter(trace);
  clear(trace);
  meet(plan, request, trace);
  store_->refund(trace.asks, now);
}

void Engine::charge(const Request& request, Nanos now, Trace& trace) {
  const Plan& plan = enter(trace);
  clear(trace);
  meet(plan, request, trace);
  store_->charge(trace.asks, now);
}

void Engine::reload(std::shared_ptr<const Policy> policy, Nanos now) {
  std::shared_ptr<const Plan> old;  // outlives the lock: its end may be long
  const std::lock_guard lock(reload_);
  auto next = std::make_shared<const Plan>(store_, std::move(policy), rooms_, now);
  rooms_.keep_only(next->policy());
  old = std::exchange(plan_, std::move(next));
  current_.store(plan_.get(), std::memory_order_release);
}

std::shared_ptr<const Policy> Engine::policy() const {
  const std::lock_guard lock(reload_);
  return plan_->shared_policy();
}

}  // namespace weir
