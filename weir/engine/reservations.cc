#include "weir/engine/reservations.h"

#include <utility>

#include "weir/engine/charges.h"
#include "weir/limit/charge.h"

namespace weir {

Reservations::Reservations(Engine& engine, std::size_t most) : engine_(engine), book_(most) {}

/// Of a decision that admitted: what each rule, shadows included, took from its bucket.
std::vector<Reservations::RuleCharge> Reservations::charges_of(const Trace& trace, Nanos now) {
  std::vector<RuleCharge> charges;
  for_each_admitted(
      trace, [&](const BucketAsk& ask, const Verdict& said, const Rule& rule, const Limit& limit) {
        charges.push_back(
            {.bucket = ask.bucket, .id = ask.limit, .rule = &rule, .at = charged_at(limit, now, said)});
      });
  return charges;
}

Reserved Reservations::no_place(const Request& request, Nanos now, Trace& trace) {
  Reserved reserved{.decision = engine_.peek(request, now, trace)};
  if (!reserved.decision.allowed) return reserved;
  reserved.decision.allowed = false;
  reserved.decision.delay = 0;
  reserved.decision.retry_after = book_.wait_for_place(now);
  return reserved;
}

Reserved Reservations::reserve(const Request& request, Nanos now, Nanos ttl, Trace& trace) {
  lapse(now);
  // A place for it first: what was charged could not be held otherwise, and nobody may be denied for that.
  const auto hold = book_.enter();
  if (!hold) return no_place(request, now, trace);
  Reserved reserved{.decision = engine_.decide(request, now, trace)};
  if (!reserved.decision.allowed) {
    book_.leave(*hold);
    return reserved;
  }
  auto charges = std::make_shared<const std::vector<RuleCharge>>(charges_of(trace, now));
  book_.arm(*hold, {request.cost, std::move(charges), trace.plan}, saturating_add(now, ttl));
  reserved.hold = *hold;
  return reserved;
}

Settled Reservations::commit(HoldId hold, std::uint64_t cost, Nanos now) {
  lapse(now);
  const auto taken = book_.take(hold);
  if (!taken) return Settled::not_held;
  const Held& held = taken->held;
  if (taken->lapsed) {
    charge(held, 0, cost, now);
    return Settled::late;
  }
  if (cost > held.cost) charge(held, held.cost, cost, now);
  if (cost < held.cost) give_back(held, cost, now);
  return Settled::in_time;
}

bool Reservations::cancel(HoldId hold, Nanos now) {
  const auto taken = book_.take(hold);
  if (!taken || taken->lapsed) return false;
  give_back(taken->held, 0, now);
  return true;
}

void Reservations::give_back(const Held& held, std::uint64_t kept, Nanos now) {
  std::vector<BucketAsk> asks;
  std::vector<Charge> charges;
  for (const RuleCharge& charged : *held.charges) {
    const std::uint64_t units = charged.rule->units(held.cost);
    const std::uint64_t cost = units - charged.rule->units(kept);
    asks.push_back({.bucket = charged.bucket, .limit = charged.id, .ask = {.cost = cost}});
    charges.push_back({.at = charged.at, .cost = units});
  }
  engine_.give_back(asks, charges, now);
}

void Reservations::charge(const Held& held, std::uint64_t from, std::uint64_t to, Nanos now) {
  std::vector<BucketAsk> asks;
  for (const RuleCharge& charged : *held.charges) {
    const std::uint64_t units = charged.rule->units(to) - charged.rule->units(from);
    asks.push_back({.bucket = charged.bucket, .limit = charged.id, .ask = {.cost = units}});
  }
  engine_.charge(asks, now);
}

void Reservations::lapse_some(Nanos now) {
  book_.lapse(now, HoldBook<Held>::kLapses, [&](const Held& held) { give_back(held, 0, now); });
}

}  // namespace weir
