#include "weir/engine/decision.h"

namespace weir {

void DecisionMaker::add(const RuleVerdict& said) {
  if (said.verdict.allowed) {
    if (decision_.allowed) allow(said);
  } else {
    deny(said);
  }
}

void DecisionMaker::deny(const RuleVerdict& said) {
  if (!decision_.allowed && !longer_wait(said.verdict.retry_after, decision_.retry_after)) return;
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
  decision_.full = said.full && !said.verdict.allowed;
  decision_.rule = said.rule;
  decision_.rule_limit = said.limit;
  decision_.limit = said.verdict.limit;
  decision_.remaining = said.verdict.remaining;
  decision_.retry_after = said.verdict.retry_after;
  decision_.reset_after = said.verdict.reset_after;
}

}  // namespace weir
