#include "weir/policy_limiter.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/reservations.h"
#include "weir/limiter/outcomes.h"
#include "weir/limiter/trace_pool.h"
#include "weir/limiter/wait_room.h"
#include "weir/policy/policy.h"

namespace weir {

using limiter::nanos;
using limiter::TracePool;
using limiter::WaitRoom;

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

/// Dimensions that outlive their caller's.
class OwnedDimensions {
 public:
  explicit OwnedDimensions(Dimensions dimensions) {
    for (const auto& [name, value] : dimensions.span()) {
      views_.push_back({texts_.emplace_back(name), texts_.emplace_back(value)});
    }
  }
  OwnedDimensions(const OwnedDimensions&) = delete;
  OwnedDimensions& operator=(const OwnedDimensions&) = delete;
  std::span<const Dimension> span() const { return views_; }

 private:
  std::deque<std::string> texts_;  // never moves what it has
  std::vector<Dimension> views_;
};

using Shared = std::shared_ptr<const OwnedDimensions>;

}  // namespace

class PolicyLimiter::Core : public HoldKeeper, public std::enable_shared_from_this<Core> {
 public:
  Core(std::shared_ptr<const Policy> policy, Options options)
      : clock_(clock_of(options)),
        timers_(std::move(options.timers)),
        latest_(nanos(clock_->now())),
        secret_(HashSecret::random()),
        engine_(std::move(policy), engine_options(options, latest_)),
        holds_(engine_, {.most = options.max_reservations, .remember = kForever}) {}
  ~Core() override { close(); }

  Nanos now() const { return nanos(clock_->now()); }

  /// A `now` that a caller gave: never before the latest.
  Nanos never_back(Time given) {
    Nanos latest = latest_.load(std::memory_order_relaxed);
    while (nanos(given) > latest &&
           !latest_.compare_exchange_weak(latest, nanos(given), std::memory_order_relaxed)) {
    }
    return std::max(nanos(given), latest);
  }

  PolicyOutcome decide(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at, Nanos ahead = 0) {
    holds_.lapse(at);
    const TracePool::Lease desk(desks_);
    return told(engine_.decide({dimensions, cost}, at, desk->trace), *desk, ahead);
  }

  void decide_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes, Nanos at,
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

  PolicyOutcome peek(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at, Nanos ahead = 0) {
    holds_.lapse(at);
    const TracePool::Lease desk(desks_);
    return told(engine_.peek({dimensions, cost}, at, desk->trace), *desk, ahead);
  }

  void give_back(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
    const TracePool::Lease desk(desks_);
    engine_.refund({dimensions, cost}, at, desk->trace);
  }
  void refund(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
    holds_.lapse(at);
    give_back(dimensions, cost, at);
    if (WaitRoom* waiting = room_ready_.load(std::memory_order_acquire)) waiting->poke_all();
  }

  void charge(std::span<const Dimension> dimensions, std::uint64_t cost, Nanos at) {
    holds_.lapse(at);
    const TracePool::Lease desk(desks_);
    engine_.charge({dimensions, cost}, at, desk->trace);
  }

  Reservation reserve(std::span<const Dimension> dimensions, Cost cost, std::chrono::nanoseconds ttl) {
    if (ttl.count() <= 0) throw std::invalid_argument("weir: a reservation's time must be longer than 0");
    const TracePool::Lease desk(desks_);
    const Reserved reserved = holds_.reserve({dimensions, cost.units()}, now(), ttl.count(), desk->trace);
    return {shared_from_this(), static_cast<std::uint64_t>(reserved.hold), cost,
            told(reserved.decision, *desk, 0)};
  }

  Settlement commit(std::uint64_t hold, std::uint64_t cost) override {
    switch (holds_.commit(HoldId{hold}, cost, now())) {
      case Settled::in_time:
        return Settlement::settled;
      case Settled::late:
        return Settlement::late;
      case Settled::not_held:
        break;
    }
    return Settlement::nothing;
  }

  bool cancel(std::uint64_t hold) override { return holds_.cancel(HoldId{hold}, now()); }

  void wait(const Shared& dimensions, WaitOptions options, WaitDone done);
  void close();

  Status reload(Result<Policy> policy) {
    if (!policy) return policy.error();
    engine_.reload(std::make_shared<const Policy>(*std::move(policy)), now());
    return Done{};
  }

 private:
  PolicyOutcome told(const Decision& decision, limiter::Desk& desk, Nanos ahead);
  PolicyOutcome attempt(std::span<const Dimension> dimensions, std::uint64_t cost, Time now, Time deadline);
  std::uint64_t line_of(std::span<const Dimension> dimensions) const;
  WaitRoom* room();

  const std::shared_ptr<Clock> clock_;
  std::shared_ptr<TimerQueue> timers_;
  std::atomic<Nanos> latest_;
  const HashSecret secret_;
  Engine engine_;
  Reservations holds_;
  TracePool desks_;
  limiter::Names names_;
  std::atomic<WaitRoom*> room_ready_{nullptr};
  std::mutex making_;  // guards the two below
  std::shared_ptr<WaitRoom> room_;
  bool closed_ = false;
};

PolicyOutcome PolicyLimiter::Core::told(const Decision& decision, limiter::Desk& desk, Nanos ahead) {
  PolicyOutcome outcome;
  static_cast<Outcome&>(outcome) = limiter::outcome_of(decision);
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

// ---- Waits ----

std::uint64_t PolicyLimiter::Core::line_of(std::span<const Dimension> dimensions) const {
  KeyBytes bytes;
  for (const auto& [name, value] : dimensions) {
    bytes.append(name);
    bytes.append(value);
  }
  return secret_.hash(bytes.view());
}

WaitRoom* PolicyLimiter::Core::room() {
  if (WaitRoom* made = room_ready_.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(making_);
  if (closed_) return nullptr;
  if (!room_) {
    room_ = std::make_shared<WaitRoom>(timers_ ? timers_ : std::make_shared<TimerQueue>(clock_));
    room_ready_.store(room_.get(), std::memory_order_release);
  }
  return room_.get();
}

PolicyOutcome PolicyLimiter::Core::attempt(std::span<const Dimension> dimensions, std::uint64_t cost,
                                           Time now, Time deadline) {
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

void PolicyLimiter::Core::wait(const Shared& dimensions, WaitOptions options, WaitDone done) {
  WaitRoom* const here = room();
  if (!here) return done(Waited{});
  const auto self = shared_from_this();  // what is done may end the limiter
  const std::uint64_t cost = options.cost.units();
  const Nanos until = saturating_add(now(), std::max<Nanos>(0, options.within.count()));
  here->enter(
      {.line = line_of(dimensions->span()),
       .deadline = limiter::time_of(until),
       .stop = std::move(options.stop),
       .attempt = [this, dimensions, cost](
                      Time now,
                      Time deadline) { return Outcome(attempt(dimensions->span(), cost, now, deadline)); },
       .next_chance = [this] { return limiter::time_of(holds_.next_expiry()); },
       .give_back = [this, dimensions, cost](Time now) { give_back(dimensions->span(), cost, nanos(now)); },
       .done = std::move(done)});
}

void PolicyLimiter::Core::close() {
  std::shared_ptr<WaitRoom> open;
  {
    const std::lock_guard lock(making_);
    closed_ = true;
    open = room_;
  }
  if (open) open->close();
}

// ---- The face ----

PolicyLimiter::PolicyLimiter(std::shared_ptr<Core> core) : core_(std::move(core)) {}

PolicyLimiter::PolicyLimiter(const std::filesystem::path& path, Options options) {
  auto loaded = load(path, std::move(options));
  if (!loaded) throw std::invalid_argument(loaded.error().message);
  core_ = std::move(loaded.value().core_);
}

Result<PolicyLimiter> PolicyLimiter::load(const std::filesystem::path& path, Options options) {
  return made(Policy::load(path), std::move(options));
}

Result<PolicyLimiter> PolicyLimiter::parse(std::string_view yaml, Options options, std::string_view name,
                                           const std::filesystem::path& folder) {
  return made(Policy::parse(yaml, name, folder), std::move(options));
}

Result<PolicyLimiter> PolicyLimiter::made(Result<Policy> policy, Options options) {
  if (!policy) return policy.error();
  if (options.timers && options.clock && options.timers->clock() != options.clock) {
    return Error{
        "timers: they run by another clock than the limiter; give them the same, or the timers alone"};
  }
  return PolicyLimiter(
      std::make_shared<Core>(std::make_shared<const Policy>(*std::move(policy)), std::move(options)));
}

PolicyLimiter::~PolicyLimiter() {
  if (core_) core_->close();
}

PolicyLimiter::PolicyLimiter(PolicyLimiter&&) noexcept = default;

PolicyLimiter& PolicyLimiter::operator=(PolicyLimiter&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->close();
  core_ = std::move(other.core_);
  return *this;
}

PolicyOutcome PolicyLimiter::check(Dimensions dimensions, Cost cost) {
  return core_->decide(dimensions.span(), cost.units(), core_->now());
}

PolicyOutcome PolicyLimiter::check(Dimensions dimensions, Cost cost, Time now) {
  const Nanos at = core_->never_back(now);
  return core_->decide(dimensions.span(), cost.units(), at, saturating_sub(at, nanos(now)));
}

void PolicyLimiter::check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes) {
  core_->decide_each(requests, outcomes, core_->now(), 0);
}

void PolicyLimiter::check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes,
                               Time now) {
  const Nanos at = core_->never_back(now);
  core_->decide_each(requests, outcomes, at, saturating_sub(at, nanos(now)));
}

PolicyOutcome PolicyLimiter::peek(Dimensions dimensions, Cost cost) const {
  return core_->peek(dimensions.span(), cost.units(), core_->now());
}

PolicyOutcome PolicyLimiter::peek(Dimensions dimensions, Cost cost, Time now) const {
  const Nanos at = core_->never_back(now);
  return core_->peek(dimensions.span(), cost.units(), at, saturating_sub(at, nanos(now)));
}

void PolicyLimiter::refund(Dimensions dimensions, Cost cost) {
  core_->refund(dimensions.span(), cost.units(), core_->now());
}

void PolicyLimiter::refund(Dimensions dimensions, Cost cost, Time now) {
  core_->refund(dimensions.span(), cost.units(), core_->never_back(now));
}

void PolicyLimiter::charge(Dimensions dimensions, Cost cost) {
  core_->charge(dimensions.span(), cost.units(), core_->now());
}

void PolicyLimiter::charge(Dimensions dimensions, Cost cost, Time now) {
  core_->charge(dimensions.span(), cost.units(), core_->never_back(now));
}

Reservation PolicyLimiter::reserve(Dimensions dimensions, Cost cost, std::chrono::nanoseconds ttl) {
  return core_->reserve(dimensions.span(), cost, ttl);
}

Waited PolicyLimiter::acquire(Dimensions dimensions, WaitOptions options) {
  const auto done = std::make_shared<std::promise<Waited>>();
  std::future<Waited> waited = done->get_future();
  acquire_then(dimensions, std::move(options), [done](const Waited& result) { done->set_value(result); });
  return waited.get();
}

void PolicyLimiter::acquire_then(Dimensions dimensions, WaitOptions options, WaitDone done) {
  core_->wait(std::make_shared<const OwnedDimensions>(dimensions), std::move(options), std::move(done));
}

Acquisition PolicyLimiter::acquire_async(Dimensions dimensions, WaitOptions options) {
  return Acquisition(
      [core = core_, owned = std::make_shared<const OwnedDimensions>(dimensions),
       options = std::move(options)](WaitDone done) { core->wait(owned, options, std::move(done)); });
}

Status PolicyLimiter::reload(const std::filesystem::path& path) {
  return core_->reload(Policy::load(path));
}

Status PolicyLimiter::reload_text(std::string_view yaml, std::string_view name,
                                  const std::filesystem::path& folder) {
  return core_->reload(Policy::parse(yaml, name, folder));
}

Time PolicyLimiter::now() const {
  return limiter::time_of(core_->now());
}

}  // namespace weir
