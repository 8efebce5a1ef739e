#include "weir/engine/decision.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

Verdict admitted(std::uint64_t limit, std::uint64_t remaining, Nanos delay = 0) {
  return {.allowed = true, .limit = limit, .remaining = remaining, .delay = delay};
}
Verdict denied(std::optional<Nanos> retry_after) {
  return {.allowed = false, .limit = 9, .retry_after = retry_after, .reset_after = 77};
}

Decision decide(std::initializer_list<RuleVerdict> said) {
  DecisionMaker maker;
  for (const RuleVerdict& verdict : said) maker.add(verdict);
  return maker.decision();
}

TEST(Decision, WithoutARuleIsAllowed) {
  const Decision decision = decide({});
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.rule, std::nullopt);
  EXPECT_EQ(decision.retry_after, Nanos{0});
}

TEST(Decision, AllowedSpeaksOfTheSmallestShareLeft) {
  EXPECT_EQ(decide({{0, Action::deny, admitted(100, 50)}, {1, Action::deny, admitted(10, 4)}}).rule, 1U);
  EXPECT_EQ(decide({{0, Action::deny, admitted(10, 4)}, {1, Action::deny, admitted(100, 50)}}).rule, 0U);
  // A tie is the first rule's.
  EXPECT_EQ(decide({{3, Action::deny, admitted(10, 5)}, {4, Action::deny, admitted(100, 50)}}).rule, 3U);
  // Compared exactly, at the ends of 64 bits.
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const Decision close = decide(
      {{0, Action::deny, admitted(kHuge, kHuge - 1)}, {1, Action::deny, admitted(kHuge - 1, kHuge - 3)}});
  EXPECT_EQ(close.rule, 1U);
  EXPECT_EQ(close.limit, kHuge - 1);
  EXPECT_EQ(close.remaining, kHuge - 3);
}

TEST(Decision, DeniedSpeaksOfTheLongestWaitAndNeverIsLongest) {
  EXPECT_EQ(decide({{0, Action::deny, denied(5)}, {1, Action::deny, denied(7)}}).rule, 1U);
  EXPECT_EQ(decide({{0, Action::deny, denied(7)}, {1, Action::deny, denied(7)}}).rule, 0U);
  const Decision never = decide({{0, Action::deny, denied(7)},
                                 {1, Action::deny, denied(std::nullopt)},
                                 {2, Action::deny, denied(kForever)},
                                 {3, Action::deny, admitted(10, 0, 99)}});
  EXPECT_FALSE(never.allowed);
  EXPECT_EQ(never.rule, 1U);
  EXPECT_EQ(never.retry_after, std::nullopt);
  EXPECT_EQ(never.reset_after, 77);
  EXPECT_EQ(never.delay, 0);
}

TEST(Decision, TheLongestDelayCountsWhicheverRuleIsNamed) {
  const Decision decision = decide({{0, Action::delay, admitted(10, 9, 30)},
                                    {1, Action::deny, admitted(10, 1)},
                                    {2, Action::delay, admitted(10, 5, 20)}});
  EXPECT_EQ(decision.rule, 1U);
  EXPECT_EQ(decision.delay, 30);
  EXPECT_EQ(decision.action, Action::delay);
  EXPECT_EQ(decide({{0, Action::delay, admitted(10, 9)}, {1, Action::deny, admitted(10, 1)}}).action,
            Action::deny);
}

}  // namespace
}  // namespace weir
