#include "weir/engine/decision.h"

#include "weir/base/wide.h"

namespace weir {
namespace {

/// Never is longer than any wait.
bool longer(std::optional<Nanos> a, std::optional<Nanos> b) {
  if (!a || !b) return b.has_value();
  return *a > *b;
}

/// Whether a has less left of its limit than b: remaining / limit, compared without dividing.
bool tighter(const Verdict& a, const Decision& b) {
  return Wide{a.remaining} * b.limit < Wide{b.remaining} * a.limit;
}

}  // namespace

void DecisionMaker::add(const RuleVerdict& said) {
  if (said.verdict.allowed) {
    if (decision_.allowed) allow(said);
  } else {
    deny(said);
  }
}

void DecisionMaker::deny(const RuleVerdict& said) {
  if (!decision_.allowed && !longer(said.verdict.retry_after, decision_.retry_after)) return;
  decision_.allowed = false;
  decision_.delay = 0;
  decision_.action = said.action;
  speak_of(said);
}

void DecisionMaker::allow(const RuleVerdict& said) {
  if (!decision_.rule || tighter(said.verdict, decision_)) {
    speak_of(said);
    if (!delays_) decision_.action = said.action;
  }
  if (said.verdict.delay <= decision_.delay) return;
  decision_.delay = said.verdict.delay;
  if (said.action == Action::delay) {
    delays_ = true;
    decision_.action = Action::delay;
  }
}

void DecisionMaker::speak_of(const RuleVerdict& said) {
  decision_.rule = said.rule;
  decision_.rule_limit = said.limit;
  decision_.limit = said.verdict.limit;
  decision_.remaining = said.verdict.remaining;
  decision_.retry_after = said.verdict.retry_after;
  decision_.reset_after = said.verdict.reset_after;
}

}  // namespace weir
