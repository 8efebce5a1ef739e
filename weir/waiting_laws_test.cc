// What a wait charges, who waits in vain, and who is woken.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "weir/policy_limiter.h"
#include "weir/rate_limiter.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class WaitingLaws : public testing::Test {
 protected:
  PolicyLimiter policy(const std::string& rules, const std::string& head = "") {
    return PolicyLimiter::parse("domain: test\n" + head + "rules:\n" + rules, {.clock = clock_}).value();
  }
  /// Writes "name end; " when the wait ends.
  WaitDone writes(const std::string& name) {
    return [this, name](const Waited& waited) {
      constexpr const char* kEnds[] = {"admitted", "never", "too late", "cancelled", "closed"};
      said_ += name + " " + kEnds[static_cast<int>(waited.end)] + "; ";
    };
  }
  std::string said() { return std::exchange(said_, ""); }

  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  std::string said_;
};

// ---- What it charges ----

TEST_F(WaitingLaws, ADenialIsNotChargedToWhoeverWaits) {
  for (const Limit& limit :
       {Limit(token_bucket(1, per(1s)).burst(10)), Limit(leaky_bucket(1, per(1s)).burst(9)),
        Limit(fixed_window(10, per(10s))), sliding_counter(10, per(10s))}) {
    RateLimiter bucket{limit, {.clock = clock_, .charge_denied = true}};
    const auto exercise = [&](auto... key) {
      EXPECT_TRUE(bucket.check(key..., Cost{10}));
      const Outcome before = bucket.peek(key...);
      std::stop_source stop;
      bucket.acquire_then(key..., {.cost = Cost{5}, .within = 2s}, writes("late"));
      bucket.acquire_then(key..., {.cost = Cost{5}, .stop = stop.get_token()}, writes("off"));
      bucket.acquire_then(key..., {.cost = Cost{11}}, writes("much"));
      stop.request_stop();
      EXPECT_EQ(said(), "late too late; much never; off cancelled; ") << describe(limit);
      EXPECT_EQ(bucket.peek(key...).retry_after, before.retry_after) << describe(limit);
    };
    exercise();
    exercise(Key("mira"));
  }
}

TEST_F(WaitingLaws, APolicysDenialsAreNotChargedEither) {
  const std::string a =
      "  - {name: a, key: [a], charge_denied: true, limit: {quota: 1, per: 1s, burst: 10}}\n";
  PolicyLimiter limiter = policy(a);
  EXPECT_TRUE(limiter.check({{"a", "x"}}, Cost{10}));
  const Outcome before = limiter.peek({{"a", "x"}});
  std::stop_source stop;
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{5}, .within = 2s}, writes("late"));
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{5}, .stop = stop.get_token()}, writes("off"));
  stop.request_stop();
  EXPECT_EQ(said(), "late too late; off cancelled; ");
  EXPECT_EQ(limiter.peek({{"a", "x"}}).retry_after, before.retry_after);
}

TEST_F(WaitingLaws, NorWhatOtherRulesAndShadowsAdmit) {
  const std::string rest =
      "  - {name: b, key: [a], limit: {quota: 10, per: 1h}}\n"
      "  - {name: s, key: [a], action: shadow, limit: {quota: 20, per: 1h}}\n";
  for (const std::string head : {"", "charging: each\n"}) {
    PolicyLimiter limiter = policy("  - {name: all, key: [], limit: {quota: 1, per: 1h}}\n" + rest, head);
    EXPECT_TRUE(limiter.check({{"other", "y"}}));
    std::stop_source stop;
    limiter.acquire_then({{"a", "x"}}, {.stop = stop.get_token()}, writes("off"));
    stop.request_stop();
    EXPECT_EQ(said(), "off cancelled; ");
    ASSERT_TRUE(limiter.reload_text("domain: test\n" + head + "rules:\n" + rest));
    EXPECT_EQ(limiter.peek({{"a", "x"}}).remaining, 10U) << head;
    ASSERT_TRUE(
        limiter.reload_text("domain: test\nrules:\n  - {name: s, key: [a], limit: {quota: 20, per: 1h}}\n"));
    EXPECT_EQ(limiter.peek({{"a", "x"}}).remaining, 20U) << head;
  }
}

TEST_F(WaitingLaws, WhatIsAdmittedIsChargedOnce) {
  PolicyLimiter limiter = policy(
      "  - {name: a, key: [a], charge_denied: true, limit: {quota: 10, per: 10s}}\n"
      "  - {name: s, key: [a], action: shadow, limit: {quota: 20, per: 1h}}\n",
      "charging: each\n");
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{10}, .within = 1h}, writes("a"));
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{5}}, writes("b"));
  EXPECT_EQ(said(), "a admitted; ");
  clock_->advance(5s);
  EXPECT_EQ(said(), "b admitted; ");
  EXPECT_EQ(limiter.peek({{"a", "x"}}).retry_after.get(), 1s);
}

// Called off before its turn, a request gives back what of it still weighs, to the rules that charged it.
TEST_F(WaitingLaws, WhatIsCalledOffInAQueueMintsNothing) {
  const std::string tokens = "  - {name: tokens, key: [], limit: {quota: 10, per: 10s}}\n";
  PolicyLimiter limiter = policy(tokens +
                                 "  - {name: queue, match: {to: q}, key: [], action: delay,\n"
                                 "     limit: {algorithm: leaky_bucket, quota: 1, per: 10s, burst: 5}}\n"
                                 "  - {name: seen, match: {to: q}, key: [], action: shadow, limit: "
                                 "{algorithm: fixed_window, quota: 3, per: 1h}}\n");
  limiter.acquire_then({{"to", "q"}}, {}, writes("a"));
  std::stop_source stop;
  limiter.acquire_then({{"to", "q"}}, {.cost = Cost{5}, .stop = stop.get_token()}, writes("b"));
  clock_->advance(6s);
  EXPECT_TRUE(limiter.check({{"to", "other"}}, Cost{10}));
  stop.request_stop();
  EXPECT_EQ(said(), "a admitted; b cancelled; ");
  EXPECT_EQ(limiter.peek({{"to", "other"}}).retry_after.get(), 1s);
  // The queue has the places again, and the shadow, which b did not charge, has not.
  EXPECT_EQ(limiter.peek({{"to", "q"}}, Cost{0}).delay, 4s);
  ASSERT_TRUE(
      limiter.reload_text("domain: test\nrules:\n  - {name: seen, match: {to: q}, key: [], limit: "
                          "{algorithm: fixed_window, quota: 3, per: 1h}}\n"));
  EXPECT_EQ(limiter.peek({{"to", "q"}}).remaining, 2U);
}

// The place stays empty, since c's turn is told already; the other rule has its tokens again.
TEST_F(WaitingLaws, WhoIsCalledOffBeforeOthersKeepsNothingButThePlace) {
  PolicyLimiter limiter = policy(
      "  - {name: tokens, key: [], limit: {quota: 10, per: 10h}}\n"
      "  - {name: queue, match: {to: q}, key: [], action: delay,\n"
      "     limit: {algorithm: leaky_bucket, quota: 1, per: 10s, burst: 5}}\n");
  std::stop_source stop;
  limiter.acquire_then({{"to", "q"}}, {}, writes("a"));
  limiter.acquire_then({{"to", "q"}}, {.cost = Cost{2}, .stop = stop.get_token()}, writes("b"));
  limiter.acquire_then({{"to", "q"}}, {}, writes("c"));
  stop.request_stop();
  EXPECT_EQ(limiter.peek({{"to", "other"}}).remaining, 8U);
  clock_->advance(30s - 1ns);
  EXPECT_EQ(said(), "a admitted; b cancelled; ");
  clock_->advance(1ns);
  EXPECT_EQ(said(), "c admitted; ");
}

// ---- Who waits in vain ----

TEST_F(WaitingLaws, NobodyQueuesForWhatCanNeverBe) {
  RateLimiter one{token_bucket(1, per(24h)), {.clock = clock_}};
  EXPECT_TRUE(one.check());
  one.acquire_then({}, writes("first"));
  one.acquire_then({.cost = Cost{100}}, writes("much"));
  one.acquire_then({.within = 24h - 1ns}, writes("late"));
  one.acquire_then({.within = 24h}, writes("just"));
  EXPECT_EQ(said(), "much never; late too late; ");
  clock_->advance(24h);
  EXPECT_EQ(said(), "first admitted; just too late; ");
}

TEST_F(WaitingLaws, NorForATurnThatComesTooLate) {
  RateLimiter queue{leaky_bucket(1, per(10s)).burst(2), {.clock = clock_}};
  for (const char* name : {"a", "b", "c", "d"}) queue.acquire_then({}, writes(name));
  queue.acquire_then({.within = 9s}, writes("late"));  // a place is free in ten
  EXPECT_EQ(said(), "a admitted; late too late; ");
}

TEST_F(WaitingLaws, APolicyAsksThoseBehindTheSame) {
  PolicyLimiter limiter = policy("  - {name: a, key: [a], limit: {quota: 1, per: 1h}}\n");
  EXPECT_TRUE(limiter.check({{"a", "x"}}));
  limiter.acquire_then({{"a", "x"}}, {}, writes("first"));
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{2}}, writes("much"));
  limiter.acquire_then({{"a", "x"}}, {.within = 1min}, writes("late"));
  EXPECT_EQ(said(), "much never; late too late; ");
}

TEST_F(WaitingLaws, WhoOnlyHasOthersBeforeItWaits) {
  RateLimiter bucket{token_bucket(10, per(10s)), {.clock = clock_}};
  EXPECT_TRUE(bucket.check(Cost{8}));
  bucket.acquire_then({.cost = Cost{10}}, writes("large"));
  Waited small;
  bucket.acquire_then({.cost = Cost{1}, .within = 3s}, [&](const Waited& waited) { small = waited; });
  clock_->advance(3s);
  EXPECT_EQ(small.end, WaitEnd::too_late);
  EXPECT_EQ(small.outcome.admission, Admission::never);  // the bucket has not denied it anything
}

// ---- Who is woken ----

TEST_F(WaitingLaws, AReloadAsksWhoeverWaitsAgain) {
  PolicyLimiter limiter = policy("  - {name: a, key: [a], limit: {quota: 1, per: 24h}}\n");
  EXPECT_TRUE(limiter.check({{"a", "x"}}));
  limiter.acquire_then({{"a", "x"}}, {}, writes("x"));
  ASSERT_TRUE(
      limiter.reload_text("domain: test\nrules: [{name: a, key: [a], limit: {quota: 9, per: 1s}}]\n"));
  EXPECT_EQ(said(), "x admitted; ");
  EXPECT_TRUE(limiter.check({{"a", "x"}}, Cost{8}));
  limiter.acquire_then({{"a", "x"}}, {.cost = Cost{9}}, writes("y"));
  ASSERT_TRUE(limiter.reload_text("domain: test\nrules: []\n"));
  EXPECT_EQ(said(), "y admitted; ");
}

TEST_F(WaitingLaws, TheOrderOfDimensionsMakesNoOtherLine) {
  PolicyLimiter limiter = policy("  - {name: a, key: [a, b], limit: {quota: 1, per: 10s}}\n");
  EXPECT_TRUE(limiter.check({{"a", "1"}, {"b", "2"}}));
  limiter.acquire_then({{"a", "1"}, {"b", "2"}}, {}, writes("first"));
  limiter.acquire_then({{"b", "2"}, {"a", "1"}}, {}, writes("second"));
  limiter.acquire_then({{"a", "1"}, {"b", "2"}}, {}, writes("third"));
  clock_->advance(30s);
  EXPECT_EQ(said(), "first admitted; second admitted; third admitted; ");
}

TEST_F(WaitingLaws, ARefundReachesEveryLineInTheEnd) {
  PolicyLimiter limiter = policy(
      "  - {name: all, key: [], limit: {quota: 1000, per: 24h}}\n"
      "  - {name: each, key: [a], limit: {quota: 1000, per: 24h}}\n");
  EXPECT_TRUE(limiter.check({{"a", "x"}}, Cost{1000}));
  int admitted = 0;
  for (int i = 0; i < 500; ++i) {
    limiter.acquire_then({{"a", std::to_string(i)}}, {},
                         [&](const Waited& waited) { admitted += waited.admitted() ? 1 : 0; });
  }
  limiter.refund({{"a", "x"}}, Cost{400});
  EXPECT_EQ(admitted, 64);
  clock_->advance(0s);  // the rest is for the timers
  EXPECT_EQ(admitted, 400);
  limiter.refund({{"a", "x"}}, Cost{1});
  limiter.refund({{"a", "x"}}, Cost{1});
  clock_->advance(0s);
  EXPECT_EQ(admitted, 402);
}

TEST_F(WaitingLaws, ManyOfOneLineAreCalledOffInAnyOrder) {
  constexpr int kMany = 20'000;
  RateLimiter one{token_bucket(1, per(1h)), {.clock = clock_}};
  EXPECT_TRUE(one.check());
  std::vector<std::stop_source> stops(kMany);
  int cancelled = 0;
  std::string admitted;
  for (int i = 0; i < kMany; ++i) {
    one.acquire_then({.stop = stops[static_cast<std::size_t>(i)].get_token()}, [&, i](const Waited& waited) {
      cancelled += waited.end == WaitEnd::cancelled ? 1 : 0;
      if (waited.admitted()) admitted += std::to_string(i) + " ";
    });
  }
  for (std::size_t i = kMany; i-- > 0;) {
    if (i != 7 && i != 9'000) stops[i].request_stop();
  }
  EXPECT_EQ(cancelled, kMany - 2);
  clock_->advance(2h);
  EXPECT_EQ(admitted, "7 9000 ");
}

}  // namespace
}  // namespace weir
