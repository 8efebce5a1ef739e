// A policy against a log: every request decided at the time that the log says, and what came of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/replay/event.h"
#include "weir/replay/report.h"
#include "weir/replay/rule_tally.h"

namespace weir {

struct ReplayOptions {
  /// Buckets at the most; what comes beyond follows each rule's on_full and is reported.
  std::size_t max_keys = 10'000'000;
  /// Bytes that buckets may take at the most.
  std::size_t max_memory = std::size_t{4} << 30U;
  /// Whether the report is to tell keys apart, which takes memory for each. Without, it has totals alone.
  bool tally_keys = true;
};

/// `options` without room for more buckets than `events` under `rules` rules can need: a small table is a
/// fast one.
ReplayOptions fitted(ReplayOptions options, std::uint64_t events, std::size_t rules);

/// The same log and policy give the same decisions on every machine: keys are hashed under a fixed secret.
class Replay {
 public:
  /// `frame` must hold the times of all events.
  Replay(std::shared_ptr<const Policy> policy, TimeFrame frame, ReplayOptions options);

  /// Decides one of the requests that `event` stands for. REQUIRES: events come in the order of their times,
  /// as far as that can be had.
  const Decision& decide(const Event& event);
  /// Decides all of them.
  void decide_all(const Event& event);

  const Policy& policy() const { return *policy_; }
  /// Everything but `input`, with the `top` most denied keys.
  ReplayReport report(std::size_t top) const;

 private:
  std::uint64_t enough_alike(const Event& event) const;
  void tally(const Event& event, std::uint64_t requests);
  void tally_rules(const Event& event, std::uint64_t requests);
  RuleOutcome outcome_of(std::size_t i, const Event& event, std::uint64_t requests) const;

  std::shared_ptr<const Policy> policy_;
  Engine engine_;
  Trace trace_;
  Decision decision_;
  std::vector<BucketVerdict> last_verdicts_;
  std::vector<RuleTally> rules_;
  ReplayReport totals_;
};

}  // namespace weir
