#include "weir/limiter/policy_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/limiter/options.h"

namespace weir::limiter {
namespace {

EngineOptions engine_options(const PolicyLimiterOptions& options, Nanos start) {
  return {.store = store_options_of(options, start),
          .secret = options.hash_seed ? HashSecret::fixed(*options.hash_seed) : HashSecret::random()};
}

/// Whether the requests that `trace` was last used for were charged anywhere. `admitted`: one of them was.
bool charged(bool admitted, const Trace& trace) {
  const bool each = trace.plan->policy().charging() == Charging::each;
  for (std::size_t i = 0; i < trace.asks.size(); ++i) {
    const BucketAsk& asked = trace.asks[i];
    const BucketVerdict& said = trace.said[i];
    if (asked.ask.cost == 0 || said.full) continue;
    if (said.verdict.allowed ? admitted || each || asked.shadow : asked.ask.charge_denied) return true;
  }
  return false;
}

}  // namespace

PolicyCore::PolicyCore(std::shared_ptr<const Policy> policy, PolicyLimiterOptions options)
    : clock_(clock_of(options)),
      latest_(nanos(clock_->now())),
      secret_(HashSecret::random()),
      engine_(std::move(policy), engine_options(options, latest_.get())),
      holds_(engine_, options.max_reservations),
      room_(std::move(options.timers), clock_) {}

PolicyCore::~PolicyCore() {
  close();
}

Instant PolicyCore::never_back(Time given) const {
  const Nanos latest = latest_.get();
  const Nanos at = std::max(nanos(given), latest);
  return {.at = at, .ahead = saturating_sub(at, nanos(given)), .newest = at > latest};
}

PolicyOutcome PolicyCore::decide(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when) {
  holds_.lapse(when.at);
  const TracePool::Lease desk(desks_);
  const Decision decision = engine_.decide({dimensions, cost}, when.at, desk->trace);
  const PolicyOutcome outcome = told(decision, *desk, when.ahead);
  if (when.newest && charged(decision.allowed, desk->trace)) latest_.note(when.at);
  return outcome;
}

void PolicyCore::decide_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes,
                             Instant when) {
  if (requests.size() != outcomes.size()) {
    throw std::invalid_argument("weir: check_each wants an outcome for each request");
  }
  holds_.lapse(when.at);
  const TracePool::Lease desk(desks_);
  std::vector<Decision> decisions(requests.size());
  // One batch of the engine at a time, so that the trace tells of all of it.
  for (std::size_t begin = 0; begin < requests.size(); begin += Engine::kBatch) {
    const std::size_t count = std::min(Engine::kBatch, requests.size() - begin);
    const auto decided = std::span(decisions).subspan(begin, count);
    engine_.decide(requests.subspan(begin, count), when.at, decided, desk->trace);
    for (std::size_t i = 0; i < count; ++i) outcomes[begin + i] = told(decided[i], *desk, when.ahead);
    const bool admitted =
        std::any_of(decided.begin(), decided.end(), [](const Decision& d) { return d.allowed; });
    if (when.newest && charged(admitted, desk->trace)) latest_.note(when.at);
  }
}

PolicyOutcome PolicyCore::peek(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when) {
  holds_.lapse(when.at);
  const TracePool::Lease desk(desks_);
  return told(engine_.peek({dimensions, cost}, when.at, desk->trace), *desk, when.ahead);
}

void PolicyCore::refund(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when) {
  holds_.lapse(when.at);
  if (!refund_quietly({dimensions, cost}, when)) return;
  tell_waiters();
}

/// Says whether there may have been something to give back.
bool PolicyCore::refund_quietly(const Request& request, Instant when) {
  if (request.cost == 0) return false;
  const TracePool::Lease desk(desks_);  // not while those who wait are told
  if (when.newest) {
    (void)engine_.peek({request.dimensions, 0}, when.at, desk->trace);
    // Buckets that are as good as new have nothing to be given back.
    const auto used = [](const BucketVerdict& said) { return said.verdict.reset_after > 0; };
    if (std::none_of(desk->trace.said.begin(), desk->trace.said.end(), used)) return false;
    latest_.note(when.at);
  }
  engine_.refund(request, when.at, desk->trace);
  return true;
}

void PolicyCore::charge(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when) {
  holds_.lapse(when.at);
  const TracePool::Lease desk(desks_);
  engine_.charge({dimensions, cost}, when.at, desk->trace);
  if (when.newest && cost != 0 && !desk->trace.asks.empty()) latest_.note(when.at);
}

PolicyOutcome PolicyCore::told(const Decision& decision, Desk& desk, Nanos ahead) {
  PolicyOutcome outcome;
  static_cast<Outcome&>(outcome) = with_longer_waits(outcome_of(decision), ahead);
  if (decision.rule) outcome.rule = desk.name_of(*decision.rule, names_);
  outcome.action = decision.action;
  return outcome;
}

// ---- Holds ----

Reservation PolicyCore::reserve(std::span<const Dimension> dimensions, Cost cost,
                                std::chrono::nanoseconds ttl) {
  if (ttl.count() <= 0) throw std::invalid_argument("weir: a reservation's time must be longer than 0");
  const TracePool::Lease desk(desks_);
  const Reserved reserved = holds_.reserve({dimensions, cost.units()}, now(), ttl.count(), desk->trace);
  return {shared_from_this(), static_cast<std::uint64_t>(reserved.hold), cost,
          told(reserved.decision, *desk, 0)};
}

Settlement PolicyCore::commit(std::uint64_t hold, std::uint64_t cost) {
  const Settled settled = holds_.commit(HoldId{hold}, cost, now());
  tell_waiters();
  switch (settled) {
    case Settled::in_time:
      return Settlement::settled;
    case Settled::late:
      return Settlement::late;
    case Settled::not_held:
      break;
  }
  return Settlement::nothing;
}

bool PolicyCore::cancel(std::uint64_t hold) {
  const bool given_back = holds_.cancel(HoldId{hold}, now());
  tell_waiters();
  return given_back;
}

// ---- Waits ----

/// Which buckets of theirs were given something is more than we know.
void PolicyCore::tell_waiters() {
  if (WaitRoom* const waiting = room_.made()) waiting->poke_all();
}

void PolicyCore::reload(std::shared_ptr<const Policy> policy) {
  engine_.reload(std::move(policy), now());
  tell_waiters();
}

/// The same in whatever order the dimensions are given. Of two with one name the first counts, and stays it.
std::uint64_t PolicyCore::line_of(std::span<const Dimension> dimensions) const {
  std::vector<Dimension> sorted(dimensions.begin(), dimensions.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Dimension& a, const Dimension& b) { return a.name < b.name; });
  KeyBytes bytes;
  for (const auto& [name, value] : sorted) {
    bytes.append(name);
    bytes.append(value);
  }
  return secret_.hash(bytes.view());
}

Outcome PolicyCore::attempt(const Request& request, Time now, Time deadline, Charged& charged) {
  holds_.lapse(nanos(now));
  const Nanos most_delay = deadline == Time::max() ? kForever : saturating_sub(nanos(deadline), nanos(now));
  const TracePool::Lease desk(desks_);
  const Decision decision = engine_.admit(request, nanos(now), most_delay, desk->trace);
  if (decision.allowed && decision.delay != 0) charged = Engine::charged(desk->trace, true, nanos(now));
  return outcome_of(decision);
}

void PolicyCore::wait(const std::shared_ptr<const OwnedDimensions>& dimensions, WaitOptions options,
                      WaitDone done) {
  WaitRoom* const here = room_.get();
  if (!here) return done(Waited{});
  const auto self = shared_from_this();  // what is done may end the limiter
  const std::uint64_t cost = options.cost.units();
  const Nanos until = saturating_add(now(), std::max<Nanos>(0, options.within.count()));
  const auto charged = std::make_shared<Charged>();
  here->enter({.line = line_of(dimensions->span()),
               .deadline = time_of(until),
               .stop = std::move(options.stop),
               .attempt =
                   [this, dimensions, cost, charged](Time now, Time deadline) {
                     return attempt({dimensions->span(), cost}, now, deadline, *charged);
                   },
               .peek = [this, dimensions, cost](
                           Time now) { return Outcome(peek(dimensions->span(), cost, {.at = nanos(now)})); },
               .next_chance = [this] { return time_of(holds_.next_expiry()); },
               .give_back =
                   [this, charged](Time now, bool place_too) {
                     const std::size_t count = charged->asks.size() - (place_too ? 0 : charged->places);
                     engine_.give_back(std::span(charged->asks).first(count),
                                       std::span(charged->charges).first(count), nanos(now));
                   },
               .next_turn =
                   [this, dimensions](Time now) {
                     const PolicyOutcome next = peek(dimensions->span(), 0, {.at = nanos(now)});
                     return time_of(saturating_add(nanos(now), next.delay.count()));
                   },
               .done = std::move(done)});
}

}  // namespace weir::limiter
