#include "weir/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/random.h"
#include "tests/support/store_races.h"

namespace weir {
namespace {

constexpr Nanos kStart = 1'700'000'000 * kSecond;

std::shared_ptr<const Policy> policy_of(const std::string& rules, const std::string& settings = "") {
  auto policy = Policy::parse("domain: test\n" + settings + "rules:\n" + rules);
  if (!policy) throw std::runtime_error(policy.error().message);
  return std::make_shared<const Policy>(*std::move(policy));
}

class EngineTest : public testing::Test {
 protected:
  void use(const std::string& rules, const std::string& settings = "", std::size_t max_keys = 10'000) {
    engine_ = std::make_unique<Engine>(
        policy_of(rules, settings),
        EngineOptions{.store = {.max_keys = max_keys, .frame = TimeFrame::starting_at(kStart)},
                      .secret = HashSecret::fixed(1)});
  }

  Decision decide(std::vector<Dimension> dimensions, std::uint64_t cost = 1) {
    return engine_->decide({dimensions, cost}, now_, trace_);
  }
  Decision peek(std::vector<Dimension> dimensions, std::uint64_t cost = 1) {
    return engine_->peek({dimensions, cost}, now_, trace_);
  }
  int admitted(int requests, const std::vector<Dimension>& dimensions) {
    int count = 0;
    for (int i = 0; i < requests; ++i) count += decide(dimensions).allowed ? 1 : 0;
    return count;
  }
  std::string rule(const Decision& decision) const {
    return decision.rule ? engine_->policy()->rules()[*decision.rule].name : "";
  }

  std::unique_ptr<Engine> engine_;
  Trace trace_;
  Nanos now_ = kStart;
};

TEST_F(EngineTest, ADeniedRequestIsChargedByNoRule) {
  use(R"(
  - {name: user, key: [account], limit: {algorithm: fixed_window, quota: 30, per: 60s}}
  - {name: endpoint, key: [endpoint], limit: {algorithm: fixed_window, quota: 5, per: 60s}}
)");
  const std::vector<Dimension> request{{"account", "a"}, {"endpoint", "/x"}};
  EXPECT_EQ(admitted(10, request), 5);
  const Decision denied = decide(request);
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(rule(denied), "endpoint");
  EXPECT_EQ(denied.limit, 5U);
  EXPECT_EQ(peek({{"account", "a"}}).remaining, 25U);
}

TEST_F(EngineTest, AParentKeepsWhatOneChildCouldNotUse) {
  const std::string rules = R"(
  - {name: client, key: [client], limit: {quota: 10, per: 1m}}
  - {name: service, match: {service: svc1}, key: [client, service], limit: {quota: 2, per: 1m}}
)";
  use(rules);
  EXPECT_EQ(admitted(10, {{"client", "c"}, {"service", "svc1"}}), 2);
  EXPECT_EQ(admitted(10, {{"client", "c"}, {"service", "svc4"}}), 8);

  use(rules, "charging: each\n");
  EXPECT_EQ(admitted(10, {{"client", "c"}, {"service", "svc1"}}), 2);
  EXPECT_EQ(admitted(10, {{"client", "c"}, {"service", "svc4"}}), 0);
}

TEST_F(EngineTest, NoRuleNoLimit) {
  use("  - {name: login, match: {endpoint: /login}, key: [ip], limit: {quota: 1, per: 1m}}\n");
  const Decision decision = decide({{"endpoint", "/home"}});
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.rule, std::nullopt);
  EXPECT_TRUE(trace_.verdicts.empty());
}

TEST_F(EngineTest, UnlimitedLiftsAllRulesAndAnOverrideItsOwn) {
  use(R"(
  - {name: api, key: [account], limit: {quota: 1, per: 1m},
     overrides: [{match: {plan: internal}, unlimited: true}]}
  - {name: office, match: {ip: 192.0.2.0/24}, unlimited: true}
  - {name: all, key: [], limit: {quota: 3, per: 1m}}
)");
  EXPECT_EQ(admitted(10, {{"account", "a"}, {"ip", "192.0.2.9"}}), 10);
  EXPECT_EQ(admitted(10, {{"account", "a"}, {"plan", "internal"}}), 3);
  EXPECT_EQ(rule(decide({{"account", "a"}, {"plan", "internal"}})), "all");
}

TEST_F(EngineTest, AMissingKeyIsSkippedSharedOrDenied) {
  use(R"(
  - {name: skipping, key: [a], limit: {quota: 1, per: 1m}}
  - {name: sharing, key: [b], on_missing: shared, limit: {quota: 2, per: 1m}}
)");
  EXPECT_EQ(admitted(3, {{"a", ""}}), 2);
  EXPECT_EQ(rule(decide({})), "sharing");

  use(R"(
  - {name: first, key: [], limit: {quota: 5, per: 1m}}
  - {name: needed, key: [account], on_missing: deny, limit: {quota: 5, per: 1m}}
)");
  const Decision denied = decide({});
  EXPECT_FALSE(denied.allowed);
  EXPECT_EQ(rule(denied), "needed");
  EXPECT_EQ(denied.retry_after, std::nullopt);
  ASSERT_EQ(trace_.verdicts.size(), 2U);
  EXPECT_TRUE(trace_.verdicts[0].verdict.allowed);
  EXPECT_FALSE(trace_.verdicts[1].verdict.allowed);
  EXPECT_FALSE(peek({}).allowed);
  EXPECT_EQ(decide({{"account", "a"}}).remaining, 4U);  // nothing was charged until now
}

TEST_F(EngineTest, ShadowsAreCountedAndNeverHeard) {
  use(R"(
  - {name: strict, key: [ip], limit: {quota: 1, per: 1m}, action: shadow}
  - {name: lax, key: [ip], limit: {quota: 3, per: 1m}}
)");
  EXPECT_EQ(admitted(5, {{"ip", "192.0.2.1"}}), 3);
  const Decision decision = decide({{"ip", "192.0.2.1"}});
  EXPECT_EQ(rule(decision), "lax");
  ASSERT_EQ(trace_.verdicts.size(), 2U);
  EXPECT_FALSE(trace_.verdicts[0].verdict.allowed);
  EXPECT_EQ(trace_.verdicts[0].verdict.limit, 1U);
}

TEST_F(EngineTest, CostsMultiplyAndStopAtTheEndOfTheType) {
  use("  - {name: heavy, key: [], cost: 3, limit: {quota: 10, per: 10s}}\n");
  EXPECT_EQ(decide({}, 2).remaining, 4U);
  const Decision denied = decide({}, 2);
  EXPECT_EQ(denied.retry_after, 2 * kSecond);
  EXPECT_EQ(decide({}, ~std::uint64_t{0} / 2).retry_after, std::nullopt);
  EXPECT_EQ(decide({}, 0).remaining, 4U);
}

TEST_F(EngineTest, TheLongestWaitOfTheViolatedRulesIsTold) {
  use(R"(
  - {name: short, key: [], limit: {quota: 1, per: 1s}}
  - {name: long, key: [], limit: {quota: 1, per: 1h}}
)");
  EXPECT_TRUE(decide({}).allowed);
  const Decision denied = decide({});
  EXPECT_EQ(rule(denied), "long");
  EXPECT_EQ(denied.retry_after, kHour);
  now_ += *denied.retry_after;
  EXPECT_TRUE(decide({}).allowed);
}

TEST_F(EngineTest, DelaysAreTold) {
  use("  - {name: queue, key: [], limit: {algorithm: leaky_bucket, quota: 1, per: 1s, burst: 2}, action: "
      "delay}\n");
  EXPECT_EQ(decide({}).delay, 0);
  EXPECT_EQ(decide({}).delay, kSecond);
  const Decision last = decide({});
  EXPECT_EQ(last.delay, 2 * kSecond);
  EXPECT_EQ(last.action, Action::delay);
  EXPECT_FALSE(decide({}).allowed);
}

TEST_F(EngineTest, RefundsAndChargesReachEveryRule) {
  use(R"(
  - {name: a, key: [x], limit: {quota: 5, per: 1m}}
  - {name: b, key: [y], limit: {quota: 5, per: 1m}}
)");
  const std::vector<Dimension> both{{"x", "1"}, {"y", "2"}};
  EXPECT_EQ(admitted(4, both), 4);
  engine_->refund({both, 2}, now_, trace_);
  EXPECT_EQ(peek({{"x", "1"}}).remaining, 3U);
  EXPECT_EQ(peek({{"y", "2"}}).remaining, 3U);
  engine_->refund({both, 100}, now_, trace_);
  EXPECT_EQ(peek({{"x", "1"}}).remaining, 5U);
  engine_->charge({both, 7}, now_, trace_);
  EXPECT_EQ(peek({{"y", "2"}}).remaining, 0U);
  EXPECT_EQ(decide({{"x", "1"}}).retry_after, 3 * 12 * kSecond);
}

TEST_F(EngineTest, APeekChangesNothing) {
  use("  - {name: a, key: [], limit: {quota: 1, per: 1m}}\n");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(peek({}).allowed);
  EXPECT_EQ(engine_->store_stats().keys, 0U);
  EXPECT_TRUE(decide({}).allowed);
  EXPECT_FALSE(peek({}).allowed);
}

TEST_F(EngineTest, LongKeysAreWholeKeys) {
  use("  - {name: a, key: [k], limit: {quota: 1, per: 1m}}\n");
  std::string key(std::size_t{64} << 10U, 'x');
  EXPECT_EQ(admitted(3, {{"k", key}}), 1);
  key.back() = 'y';
  EXPECT_EQ(admitted(3, {{"k", key}}), 1);
  EXPECT_EQ(engine_->store_stats().keys, 2U);
}

TEST_F(EngineTest, TrackedKeysStayWithinTheCap) {
  use("  - {name: a, key: [k], limit: {quota: 1, per: 1m}}\n", "", 2);
  for (const char* key : {"", "one", "two", "three"}) decide({{"k", key}});
  EXPECT_EQ(engine_->store_stats().keys, 2U);
  EXPECT_EQ(engine_->store_stats().full, 1U);
}

TEST_F(EngineTest, AFullTableDeniesOrAllowsAsTheRuleSays) {
  use("  - {name: a, key: [k], on_full: allow, limit: {quota: 1, per: 1m}}\n", "", 1);
  EXPECT_TRUE(decide({{"k", "1"}}).allowed);
  EXPECT_TRUE(decide({{"k", "2"}}).allowed);
  EXPECT_TRUE(trace_.verdicts[0].full);
}

// ---- Batches ----

TEST_F(EngineTest, ABatchDecidesAsOneAfterAnother) {
  const std::string rules = R"(
  - {name: account, key: [account], limit: {quota: 3, per: 1m}}
  - {name: all, key: [], limit: {algorithm: sliding_log, quota: 40, per: 1m}}
  - {name: needed, match: {account: "1*"}, key: [ip], on_missing: deny, limit: {quota: 9, per: 1m}}
)";
  for (const char* charging : {"all_or_nothing", "each"}) {
    use(rules, std::string("charging: ") + charging + "\n");
    Engine single(engine_->policy(),
                  {.store = {.frame = TimeFrame::starting_at(kStart)}, .secret = HashSecret::fixed(1)});
    std::mt19937_64 random(3);
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) names.push_back(std::to_string(test::draw(random, 0, 25)));
    std::vector<Dimension> dimensions;
    for (const std::string& name : names) dimensions.push_back({"account", name});
    std::vector<Request> requests;
    for (const Dimension& dimension : dimensions) requests.push_back({{&dimension, 1}});
    std::vector<Decision> decisions(requests.size());
    engine_->decide(requests, now_, decisions, trace_);
    Trace trace;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Decision wanted = single.decide(requests[i], now_, trace);
      EXPECT_EQ(decisions[i].allowed, wanted.allowed) << i;
      EXPECT_EQ(decisions[i].rule, wanted.rule) << i;
      EXPECT_EQ(decisions[i].remaining, wanted.remaining) << i;
      EXPECT_EQ(decisions[i].retry_after, wanted.retry_after) << i;
    }
    EXPECT_EQ(trace_.verdicts.size(), trace.verdicts.size());
  }
}

// ---- Reload ----

std::string hourly(int quota, const std::string& per = "1h") {
  return "  - {name: a, key: [k], limit: {algorithm: fixed_window, quota: " + std::to_string(quota) +
         ", per: " + per + "}}\n";
}

TEST_F(EngineTest, AReloadKeepsWhatWasUsed) {
  use(hourly(100));
  const std::vector<Dimension> request{{"k", "1"}};
  EXPECT_EQ(admitted(70, request), 70);
  engine_->reload(policy_of(hourly(100)), now_);
  EXPECT_EQ(peek(request).remaining, 30U);
  engine_->reload(policy_of(hourly(200)), now_);
  EXPECT_EQ(peek(request).remaining, 130U);
  EXPECT_EQ(decide(request).limit, 200U);
  engine_->reload(policy_of(hourly(50)), now_);
  EXPECT_EQ(peek(request).remaining, 0U);
  EXPECT_FALSE(decide(request).allowed);
  engine_->reload(policy_of(hourly(50, "1m")), now_);
  EXPECT_EQ(peek(request).remaining, 50U);
}

TEST_F(EngineTest, ARemovedRuleGivesItsMemoryBack) {
  use(R"(
  - {name: gone, key: [k], limit: {algorithm: sliding_log, quota: 5, per: 1m}}
  - {name: stays, key: [], limit: {quota: 1000000, per: 1s}}
)");
  for (int i = 0; i < 500; ++i) decide({{"k", std::to_string(i)}});
  const std::size_t used = engine_->store_stats().memory_bytes;
  EXPECT_EQ(engine_->store_stats().keys, 501U);
  engine_->reload(policy_of("  - {name: stays, key: [], limit: {quota: 1000000, per: 1s}}\n"), now_);
  for (int i = 0; i < 500'000 && engine_->store_stats().keys > 1; ++i) {
    now_ += kMillisecond;
    decide({});
  }
  EXPECT_EQ(engine_->store_stats().keys, 1U);
  EXPECT_LT(engine_->store_stats().memory_bytes, used);
  engine_->reload(engine_->policy(), now_);
  EXPECT_LE(engine_->store_stats().limits, 2U);
}

TEST_F(EngineTest, ManyReloadsLeaveNothingBehind) {
  use(hourly(1));
  for (int i = 0; i < test::effort(2000); ++i) {
    engine_->reload(policy_of(hourly(2 + i)), now_);
    now_ += kHour;
    decide({{"k", "1"}});
  }
  EXPECT_LE(engine_->store_stats().limits, 4U);
  EXPECT_LE(engine_->store_stats().keys, 2U);
}

// ---- Threads ----

TEST_F(EngineTest, ThreadsGetExactlyWhatIsThereWhilePoliciesChange) {
  const auto rules = [](int quota) {
    return "  - {name: a, key: [k], limit: {quota: " + std::to_string(quota) +
           ", per: 1h}}\n"
           "  - {name: b, key: [], limit: {quota: 1000000, per: 1h}}\n";
  };
  const auto five = policy_of(rules(5));
  const auto also_five = policy_of(rules(5) + "  - {name: c, key: [other], limit: {quota: 1, per: 1h}}\n");
  use(rules(5), "", 100'000);
  const int rounds = test::effort(1000);
  std::array<Trace, 8> traces;
  std::atomic<int> passed{0};
  int wrong = 0;
  test::race(
      8, rounds,
      [&](int thread, int round) {
        if (thread == 0) engine_->reload(round % 2 == 0 ? also_five : five, now_);
        const std::string key = std::to_string(round);
        const Dimension dimension{"k", key};
        for (int i = 0; i < 3; ++i) {
          const Request request{{&dimension, 1}};
          if (engine_->decide(request, now_, traces[static_cast<std::size_t>(thread)]).allowed) ++passed;
        }
      },
      [&](int) { wrong += passed.exchange(0) == 5 ? 0 : 1; });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(peek({}).remaining, 1'000'000U - 5U * static_cast<unsigned>(rounds));
}

// All that a request meets is charged, or nothing, also to those who race for the last of it.
TEST_F(EngineTest, AdmitChargesNothingUnlessItAdmits) {
  const std::vector<Dimension> request{{"account", "a"}};
  for (const char* settings : {"", "charging: each\n"}) {
    int wrong = 0;
    for (int round = 0; round < test::effort(30); ++round) {
      use(R"(
  - {name: last, key: [], charge_denied: true, limit: {quota: 20, per: 20h}}
  - {name: more, key: [account], charge_denied: true, limit: {quota: 1000, per: 1000h}}
  - {name: seen, key: [account], action: shadow, limit: {quota: 1000, per: 1000h}}
)",
          settings);
      std::atomic<int> count{0};
      test::race(
          3, 1,
          [&](int, int) {
            Trace trace;
            for (int i = 0; i < 30; ++i) {
              count += engine_->admit({request, 1}, now_, kForever, trace).allowed ? 1 : 0;
            }
          },
          [](int) {});
      const Decision after = peek(request);
      const auto left = [&](std::size_t i) { return trace_.verdicts[i].verdict.remaining; };
      const bool right = count == 20 && after.retry_after == kHour && left(1) == 980 && left(2) == 980;
      wrong += right ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0) << settings;
  }
}

TEST_F(EngineTest, AdmitTakesNothingThatWouldBeDelayedTooLong) {
  use(R"(
  - {name: queue, key: [], action: delay, limit: {algorithm: leaky_bucket, quota: 1, per: 10s, burst: 5}}
  - {name: log, key: [], limit: {algorithm: sliding_log, quota: 9, per: 1h}}
)");
  const std::vector<Dimension> none;
  EXPECT_TRUE(engine_->admit({none, 1}, now_, 0, trace_).allowed);
  const Decision late = engine_->admit({none, 1}, now_, 10 * kSecond - 1, trace_);
  EXPECT_FALSE(late.allowed);
  EXPECT_EQ(late.retry_after, 10 * kSecond);
  const Decision just = engine_->admit({none, 1}, now_, 10 * kSecond, trace_);
  EXPECT_TRUE(just.allowed);
  EXPECT_EQ(just.delay, 10 * kSecond);
  (void)peek(none);
  EXPECT_EQ(trace_.verdicts[0].verdict.remaining, 4U);
  EXPECT_EQ(trace_.verdicts[1].verdict.remaining, 7U);
}

}  // namespace
}  // namespace weir
