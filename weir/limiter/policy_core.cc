#include "weir/limiter/policy_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weir::limiter {
namespace {

std::shared_ptr<Clock> clock_of(const PolicyLimiterOptions& options) {
  if (options.timers) return options.timers->clock();
  return options.clock ? options.clock : system_clock();
}

EngineOptions engine_options(const PolicyLimiterOptions& options, Nanos start) {
  return {.store = {.max_keys = options.max_keys,
                    .max_memory = options.max_memory,
                    .frame = TimeFrame::starting_at(start)},
          .secret = options.hash_seed ? HashSecret::fixed(*options.hash_seed) : HashSecret::random()};
}

}  // namespace

PolicyCore::PolicyCore(std::shared_ptr<const Policy> policy, PolicyLimiterOptions options)
    : clock_(clock_of(options)),
      timers_(std::move(options.timers)),
      latest_(nanos(clock_->now())),
      secret_(HashSecret::random()),
      engine_(std::move(policy), engine_options(options, latest_)),
      holds_(engine_, {.most = options.max_reservations, .remember = kForever}) {}

PolicyCore::~PolicyCore() {
  close();
}

Nanos PolicyCore::never_back(Time given) {
  Nanos latest = latest_.load(std::memory_order_relaxed);
  while (nanos(given) > latest &&
         !latest_.compare_exchange_weak(latest, nanos(given), std::memory_order_relaxed)) {
  }
  return std::max(nanos(given), latest);
}

PolicyOutcome PolicyCore::decide(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at,
                                 Nanos ahead) {
  holds_.lapse(at);
  const TracePool::Lease desk(desks_);
  return told(engine_.decide({dimensions, cost}, at, desk->trace), *desk, ahead);
}

void PolicyCore::decide_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes, Nanos at,
                             Nanos ahead) {
  if (requests.size() != outcomes.size()) {
    throw std::invalid_argument("weir: check_each wants an outcome for each request");
  }
  holds_.lapse(at);
  const TracePool::Lease desk(desks_);
  std::vector<Decision> decisions(requests.size());
  engine_.decide(requests, at, decisions, desk->trace);
  for (std::size_t i = 0; i < requests.size(); ++i) outcomes[i] = told(decisions[i], *desk, ahead);
}

PolicyOutcome PolicyCore::peek(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at,
                               Nanos ahead) {
  holds_.lapse(at);
  const TracePool::Lease desk(desks_);
  return told(engine_.peek({dimensions, cost}, at, desk->trace), *desk, ahead);
}

void PolicyCore::give_back(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
  const TracePool::Lease desk(desks_);
  engine_.refund({dimensions, cost}, at, desk->trace);
}

void PolicyCore::refund(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
  holds_.lapse(at);
  give_back(dimensions, cost, at);
  tell_waiters();
}

void PolicyCore::charge(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
  holds_.lapse(at);
  const TracePool::Lease desk(desks_);
  engine_.charge({dimensions, cost}, at, desk->trace);
}

PolicyOutcome PolicyCore::told(const Decision& decision, Desk& desk, Nanos ahead) {
  PolicyOutcome outcome;
  static_cast<Outcome&>(outcome) = outcome_of(decision);
  if (ahead > 0) {
    const auto later = [&](std::chrono::nanoseconds d) {
      return std::chrono::nanoseconds(saturating_add(d.count(), ahead));
    };
    if (outcome.reset_after.count() != 0) outcome.reset_after = later(outcome.reset_after);
    if (outcome.admission == Admission::not_until) {
      outcome.retry_after = Wait::of(later(outcome.retry_after.get()));
    }
  }
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
  if (WaitRoom* waiting = room_ready_.load(std::memory_order_acquire)) waiting->poke_all();
}

std::uint64_t PolicyCore::line_of(std::span<const Dimension> dimensions) const {
  KeyBytes bytes;
  for (const auto& [name, value] : dimensions) {
    bytes.append(name);
    bytes.append(value);
  }
  return secret_.hash(bytes.view());
}

WaitRoom* PolicyCore::room() {
  if (WaitRoom* made = room_ready_.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(making_);
  if (closed_) return nullptr;
  if (!room_) {
    room_ = std::make_shared<WaitRoom>(timers_ ? timers_ : std::make_shared<TimerQueue>(clock_));
    room_ready_.store(room_.get(), std::memory_order_release);
  }
  return room_.get();
}

PolicyOutcome PolicyCore::attempt(std::span<const Dimension> dimensions, std::uint64_t cost, Time now,
                                  Time deadline) {
  const auto refuse_late = [&](PolicyOutcome said) {
    if (!said.admitted() || said.delay <= deadline - now) return said;
    said.admission = Admission::not_until;
    said.retry_after = Wait::of(std::exchange(said.delay, {}));
    return said;
  };
  if (deadline == Time::max()) return decide(dimensions, cost, nanos(now));
  if (PolicyOutcome said = refuse_late(peek(dimensions, cost, nanos(now))); !said) return said;
  const PolicyOutcome said = decide(dimensions, cost, nanos(now));
  const PolicyOutcome in_time = refuse_late(said);
  // Somebody was faster between the two.
  if (said.admitted() && !in_time.admitted()) give_back(dimensions, cost, nanos(now));
  return in_time;
}

void PolicyCore::wait(const std::shared_ptr<const OwnedDimensions>& dimensions, WaitOptions options,
                      WaitDone done) {
  WaitRoom* const here = room();
  if (!here) return done(Waited{});
  const auto self = shared_from_this();  // what is done may end the limiter
  const std::uint64_t cost = options.cost.units();
  const Nanos until = saturating_add(now(), std::max<Nanos>(0, options.within.count()));
  here->enter(
      {.line = line_of(dimensions->span()),
       .deadline = time_of(until),
       .stop = std::move(options.stop),
       .attempt = [this, dimensions, cost](
                      Time now,
                      Time deadline) { return Outcome(attempt(dimensions->span(), cost, now, deadline)); },
       .next_chance = [this] { return time_of(holds_.next_expiry()); },
       .give_back = [this, dimensions, cost](Time now) { give_back(dimensions->span(), cost, nanos(now)); },
       .done = std::move(done)});
}

void PolicyCore::close() {
  std::shared_ptr<WaitRoom> open;
  {
    const std::lock_guard lock(making_);
    closed_ = true;
    open = room_;
  }
  if (open) open->close();
}

}  // namespace weir::limiter
