// What is counted, and the promise of until_more: that long later there is more, and two nanoseconds before
// not.
#include "weir/server/decider.h"

#include <gtest/gtest.h>

#include <string>

#include "weir/server/metrics/exposition.h"

namespace weir::server {
namespace {

constexpr Nanos kStart = 1'800'000'000 * kSecond + 1;

class DeciderTest : public ::testing::Test {
 protected:
  void use(const std::string& rules) {
    const auto policy = std::make_shared<const Policy>(Policy::parse("domain: d\nrules:\n" + rules).value());
    engine_ = std::make_unique<Engine>(
        policy,
        EngineOptions{
            .store = {.max_keys = 1000, .max_memory = 1U << 20U, .frame = TimeFrame::starting_at(kStart)},
            .secret = HashSecret::fixed(1)});
    decider_ = std::make_unique<Decider>(*engine_, clock_, counters_, [] { return now_; });
  }
  Told decide(const Request& request) {
    Told told;
    decider_->begin();
    decider_->decide({&request, 1}, {&told, 1});
    return told;
  }
  Told peek_at(const Request& request, Nanos now) {
    const Nanos before = std::exchange(now_, now);
    decider_->begin();
    const Told told = decider_->peek(request);
    now_ = before;
    return told;
  }

  static inline Nanos now_ = 0;
  ServerClock clock_{{.wall = kStart, .since_boot = 0}};
  std::unique_ptr<Engine> engine_;
  ThreadCounters counters_;
  std::unique_ptr<Decider> decider_;
};

TEST_F(DeciderTest, KnowsWhenThereIsMore) {
  for (const std::string limit :
       {"quota: 3, per: 10s", "quota: 7, per: 3s, burst: 20", "algorithm: gcra, quota: 5, per: 1s",
        "algorithm: leaky_bucket, quota: 3, per: 7s, burst: 4", "algorithm: fixed_window, quota: 4, per: 10s",
        "algorithm: fixed_window, quota: 4, per: 1 day", "algorithm: sliding_log, quota: 4, per: 10s",
        "algorithm: sliding_counter, quota: 4, per: 10s", "quota: 3, per: 10s, burst: 1"}) {
    use("  - {name: r, key: [], limit: {" + limit + "}}\n");
    now_ = 0;
    for (int i = 0; i < 12; ++i, now_ += 137 * kMillisecond) {
      const Told told = decide({});
      const auto more = decider_->until_more({}, told);
      ASSERT_TRUE(more.has_value()) << limit;
      const Request next{.dimensions = {}, .cost = told.decision.remaining + 1};
      EXPECT_TRUE(peek_at(next, now_ + *more).decision.allowed) << limit << " " << i << " " << *more;
      EXPECT_FALSE(peek_at(next, now_ + *more - 2).decision.allowed) << limit << " " << i << " " << *more;
    }
  }
}

TEST_F(DeciderTest, SaysNothingOfWhatIsFull) {
  use("  - {name: r, key: [], limit: {quota: 3, per: 10s}}\n");
  EXPECT_FALSE(decider_->until_more({}, decide({.dimensions = {}, .cost = 0})).has_value());
  EXPECT_FALSE(decider_->until_more({}, decide({.dimensions = {}, .cost = 4})).has_value());
}

TEST_F(DeciderTest, CountsByRuleAndOutcome) {
  use("  - {name: one, key: [a], limit: {quota: 1, per: 1h}}\n"
      "  - {name: shade, key: [], limit: {quota: 1, per: 1h}, action: shadow}\n");
  const std::vector<Dimension> with{{"a", "x"}};
  const std::vector<Request> requests(40, Request{with});
  std::vector<Told> told(requests.size());
  decider_->begin();
  decider_->decide(requests, told);
  decide({});
  EXPECT_EQ(counters_.checks.value(), 41U);
  EXPECT_EQ(counters_.rule(0).allowed.value(), 1U);
  EXPECT_EQ(counters_.rule(0).denied.value(), 39U);
  EXPECT_EQ(counters_.rule(0).verdict_denied.value(), 39U);
  EXPECT_EQ(counters_.rule(0).missing_skipped.value(), 1U);
  EXPECT_EQ(counters_.rule(1).verdict_denied.value(), 40U);
  EXPECT_EQ(counters_.rule(1).denied.value(), 0U);
  EXPECT_EQ(counters_.without_rule.value(), 1U);
}

TEST_F(DeciderTest, CountersFollowTheirRuleThroughAReload) {
  use("  - {name: a, key: [], limit: {quota: 9, per: 1h}}\n  - {name: b, key: [], limit: {quota: 1, per: "
      "1h}}\n");
  decide({});
  engine_->reload(
      std::make_shared<const Policy>(
          Policy::parse("domain: d\nrules:\n  - {name: b, key: [], limit: {quota: 5, per: 1h}}\n").value()),
      kStart);
  decide({});
  EXPECT_EQ(counters_.rule(0).verdict_allowed.value(), 2U);
  const ThreadCounters* const all[] = {&counters_};
  const std::string text = metrics_text(all, std::array{DoorKind::http}, *engine_, {}, "1");
  EXPECT_NE(text.find("weir_rule_verdicts_total{rule=\"b\",outcome=\"allowed\"} 2\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("rule=\"a\""), std::string::npos);
}

TEST_F(DeciderTest, CountersOwnWhatTheyCountBy) {
  use("  - {name: a, key: [], limit: {quota: 9, per: 1h}}\n");
  std::weak_ptr<const Plan> plan;
  {
    Trace trace;
    engine_->policy(trace);
    counters_.use(trace.plan);
    plan = trace.plan;
  }
  engine_->reload(
      std::make_shared<const Policy>(
          Policy::parse("domain: d\nrules:\n  - {name: b, key: [], limit: {quota: 5, per: 1h}}\n").value()),
      kStart);
  EXPECT_FALSE(plan.expired());  // else the next plan could have its address
}

}  // namespace
}  // namespace weir::server
