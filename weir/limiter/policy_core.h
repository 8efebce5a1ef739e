// What stands behind a PolicyLimiter: its engine, its holds and its waiters.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/reservations.h"
#include "weir/limiter/latest_instant.h"
#include "weir/limiter/outcomes.h"
#include "weir/limiter/trace_pool.h"
#include "weir/limiter/wait_room_when_needed.h"
#include "weir/policy/policy.h"
#include "weir/policy_limiter.h"

namespace weir::limiter {

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

/// When something is asked, and of whose clock that is.
struct Instant {
  Nanos at = 0;
  /// How far a `now` that was given is behind `at`; waits are told from there.
  Nanos ahead = 0;
  /// Given, and later than all that changed something so far.
  bool newest = false;
};

class PolicyCore : public HoldKeeper, public std::enable_shared_from_this<PolicyCore> {
 public:
  /// REQUIRES: nothing is wrong with the options.
  PolicyCore(std::shared_ptr<const Policy> policy, PolicyLimiterOptions options);
  ~PolicyCore() override;

  Nanos now() const { return nanos(clock_->now()); }
  /// A `now` that a caller gave: never before the latest that changed something.
  Instant never_back(Time given) const;

  PolicyOutcome decide(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when);
  void decide_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes, Instant when);
  PolicyOutcome peek(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when);
  void refund(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when);
  void charge(std::span<const Dimension> dimensions, std::uint64_t cost, Instant when);

  Reservation reserve(std::span<const Dimension> dimensions, Cost cost, std::chrono::nanoseconds ttl);
  Settlement commit(std::uint64_t hold, std::uint64_t cost) override;
  bool cancel(std::uint64_t hold) override;

  void wait(const std::shared_ptr<const OwnedDimensions>& dimensions, WaitOptions options, WaitDone done);
  /// Ends all waits, now and later.
  void close() { room_.close(); }

  /// Whoever waits is asked again, by the new rules.
  void reload(std::shared_ptr<const Policy> policy);

 private:
  PolicyOutcome told(const Decision& decision, Desk& desk, Nanos ahead);
  /// Of whoever waits: charges an admission in time, and nothing else. `charged`: what, if its turn is still
  /// to come and it may yet be called off.
  Outcome attempt(const Request& request, Time now, Time deadline, Charged& charged);
  bool refund_quietly(const Request& request, Instant when);
  void tell_waiters();
  std::uint64_t line_of(std::span<const Dimension> dimensions) const;

  const std::shared_ptr<Clock> clock_;
  LatestInstant latest_;
  const HashSecret secret_;
  Engine engine_;
  Reservations holds_;
  TracePool desks_;
  Names names_;
  WaitRoomWhenNeeded room_;
};

}  // namespace weir::limiter
