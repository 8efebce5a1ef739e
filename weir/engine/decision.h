// Decision: what one request is told, and how it follows from what each of its rules said.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "weir/limit/verdict.h"
#include "weir/policy/rule.h"

namespace weir {

struct Decision {
  bool allowed = true;
  /// Into Policy::rules(): denied, the violated rule with the longest wait; allowed, the one with the
  /// smallest remaining/limit; nothing when no rule (shadows aside) applies. Ties go to the first rule.
  std::optional<std::uint32_t> rule;
  /// Into that rule's limits: the one that it gave the request.
  std::uint32_t rule_limit = 0;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  /// 0 when allowed, nothing for never.
  std::optional<Nanos> retry_after = 0;
  Nanos reset_after = 0;
  /// Allowed: the longest wait that a leaky_bucket of its rules asks for.
  Nanos delay = 0;
  /// Denied only since the store had no room for the rule's bucket.
  bool full = false;
  /// Of the rule named; `delay` where a rule that says so asks for the longest wait.
  Action action = Action::deny;
};

/// What one rule that holds the request (no shadow, not unlimited) said of it.
struct RuleVerdict {
  std::uint32_t rule;
  Action action;
  Verdict verdict;
  /// Into the rule's limits.
  std::uint32_t limit = 0;
  /// It had no bucket to say it of.
  bool full = false;
};

/// Makes a decision of what its rules said, one after another in the order of the rules.
class DecisionMaker {
 public:
  void add(const RuleVerdict& said);
  const Decision& decision() const { return decision_; }

 private:
  void deny(const RuleVerdict& said);
  void allow(const RuleVerdict& said);
  void speak_of(const RuleVerdict& said);

  Decision decision_;
  bool delays_ = false;
};

}  // namespace weir
