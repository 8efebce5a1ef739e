// Decider: one thread's way into the engine, for every protocol. Decides, and counts what came of it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "weir/base/clock.h"
#include "weir/engine/engine.h"
#include "weir/server/metrics/counters.h"

namespace weir::server {

/// A decision with the policy that it was made under.
struct Told {
  Decision decision;
  const Policy* policy = nullptr;

  /// The rule that the decision speaks of, and the limit that it gave the request. REQUIRES: decision.rule.
  const Rule& rule() const { return policy->rules()[*decision.rule]; }
  const RuleLimit& limit() const { return rule().limits[decision.rule_limit]; }
};

class Decider {
 public:
  /// `since_boot` reads the clock that `clock` counts by.
  Decider(Engine& engine, const ServerClock& clock, ThreadCounters& counters,
          Nanos (*since_boot)() = read_time_since_boot)
      : engine_(engine), clock_(clock), counters_(counters), since_boot_(since_boot) {}

  /// Reads the clock; all that follows is decided at that instant. What was told before is forgotten: its
  /// policies may go.
  void begin();
  Nanos now() const { return now_; }
  /// Decides and charges in the order given. REQUIRES: told.size() == requests.size().
  void decide(std::span<const Request> requests, std::span<Told> told);
  /// Changes nothing, and is not counted as a check that was decided.
  Told peek(const Request& request);
  /// How long until the rule that the decision speaks of has more left than it says; nothing when it is full
  /// or never will.
  std::optional<Nanos> until_more(const Request& request, const Told& told);

  /// The policy of this instant, until the next call.
  const Policy& policy() { return engine_.policy(trace_); }
  ThreadCounters& counters() { return counters_; }

 private:
  const Policy* hold_policy();
  void count(std::span<const Told> told);
  void count_verdict(std::size_t met);
  Nanos until_more_by_asking(const Request& request, const Told& told);

  Engine& engine_;
  const ServerClock& clock_;
  ThreadCounters& counters_;
  Nanos (*since_boot_)();
  Trace trace_;
  Nanos now_ = 0;
  /// When the clock was last read.
  Nanos read_at_ = 0;
  std::vector<Decision> decisions_;
  /// Plans of what was told since begin(): nearly always one.
  std::vector<std::shared_ptr<const Plan>> held_;
};

}  // namespace weir::server
