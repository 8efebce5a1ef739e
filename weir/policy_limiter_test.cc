// PolicyLimiter: a policy's rules through the public face.
#include "weir/policy_limiter.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/store_races.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

constexpr const char* kGame = R"(
domain: game
rules:
  - {name: chat, match: {endpoint: chat.send}, key: [account], limit: {quota: 5, per: 10s, burst: 10}}
  - {name: api, key: [account], limit: {quota: 100, per: 1m}}
  - {name: closed, match: {endpoint: closed}, key: [], limit: {quota: 0, per: 1s}}
)";

class PolicyLimiterTest : public testing::Test {
 protected:
  PolicyOutcome chat(std::string_view account) {
    return limiter_.check({{"account", account}, {"endpoint", "chat.send"}});
  }
  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  PolicyLimiter limiter_ = PolicyLimiter::parse(kGame, {.clock = clock_}).value();
};

TEST_F(PolicyLimiterTest, NamesTheRuleThatDenies) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(chat("mira"));
  const PolicyOutcome said = chat("mira");
  EXPECT_EQ(said.admission, Admission::not_until);
  EXPECT_EQ(said.rule, "chat");
  EXPECT_EQ(said.retry_after.get(), 2s);
  EXPECT_EQ(limiter_.peek({{"account", "mira"}}).remaining, 90U);
  EXPECT_EQ(limiter_.check({{"endpoint", "closed"}}).admission, Admission::never);
  EXPECT_TRUE(limiter_.check({{"elsewhere", "x"}}).rule.empty());
}

TEST_F(PolicyLimiterTest, RefundsAndCharges) {
  limiter_.charge({{"account", "mira"}}, Cost{150});
  EXPECT_EQ(limiter_.peek({{"account", "mira"}}).rule, "api");
  EXPECT_FALSE(limiter_.peek({{"account", "mira"}}));
  limiter_.refund({{"account", "mira"}}, Cost{1000});
  EXPECT_EQ(limiter_.peek({{"account", "mira"}}, Cost{0}).remaining, 100U);
}

TEST_F(PolicyLimiterTest, ChecksEachOfManyRequests) {
  const std::array<Dimension, 2> mira{{{"account", "mira"}, {"endpoint", "chat.send"}}};
  std::vector<Request> requests(100, Request{.dimensions = mira});
  std::vector<PolicyOutcome> outcomes(100);
  limiter_.check_each(requests, outcomes);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(outcomes[i].admitted(), i < 10) << i;
  EXPECT_EQ(outcomes[50].rule, "chat");
  outcomes.pop_back();
  EXPECT_THROW(limiter_.check_each(requests, outcomes), std::invalid_argument);
}

TEST_F(PolicyLimiterTest, TakesATimeAndNeverStepsBack) {
  const Time later = VirtualClock::kStart + 100s;
  EXPECT_EQ(limiter_.check({{"account", "mira"}}, Cost{100}, later).remaining, 0U);
  const PolicyOutcome said = limiter_.check({{"account", "mira"}}, Cost{1}, later - 50s);
  EXPECT_EQ(said.retry_after.get(), 50s + 600ms);
}

TEST_F(PolicyLimiterTest, OnlyWhatChangesSomethingMovesTheTime) {
  const Time t0 = VirtualClock::kStart;
  const auto api = [&](std::string_view who, Cost cost, Time now) {
    return limiter_.check({{"account", who}}, cost, now).admitted();
  };
  EXPECT_TRUE(api("mira", Cost{100}, t0));
  EXPECT_TRUE(limiter_.peek({{"account", "mira"}}, Cost{1}, t0 + 1h));
  EXPECT_FALSE(api("tomo", Cost{101}, t0 + 1h));
  EXPECT_TRUE(limiter_.check({{"elsewhere", "x"}}, Cost{1}, t0 + 1h));
  limiter_.refund({{"account", "tomo"}}, Cost{1}, t0 + 1h);
  const std::array<Dimension, 1> tomo{{{"account", "tomo"}}};
  const std::vector<Request> requests(40, Request{.dimensions = tomo, .cost = 101});
  std::vector<PolicyOutcome> outcomes(40);
  limiter_.check_each(requests, outcomes, t0 + 1h);
  EXPECT_FALSE(api("mira", Cost{1}, t0 + 1ms));
  EXPECT_TRUE(api("tomo", Cost{1}, t0 + 1h));
  EXPECT_TRUE(api("mira", Cost{1}, t0 + 1ms));  // counts as an hour later
}

TEST_F(PolicyLimiterTest, ReloadsOrChangesNothing) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(chat("mira"));
  const std::string_view rule = chat("mira").rule;
  const Status bad = limiter_.reload_text("domain: game\nrules:\n  - {name: x, limt: 1}\n", "game.yaml");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("game.yaml:3"), std::string::npos) << bad.error().message;
  EXPECT_FALSE(chat("mira"));
  ASSERT_TRUE(
      limiter_.reload_text("domain: game\nrules:\n  - {name: talk, match: {endpoint: chat.send}, key: "
                           "[account], limit: {quota: 1, per: 1h}}\n"));
  EXPECT_TRUE(chat("mira"));
  EXPECT_EQ(chat("mira").rule, "talk");
  EXPECT_EQ(rule, "chat");  // stays valid
}

TEST_F(PolicyLimiterTest, LoadsFromAFileOrSaysWhyNot) {
  PolicyLimiter game{std::filesystem::path("examples/game.yaml"), {.clock = clock_}};
  EXPECT_TRUE(game.check({{"account", "42"}, {"endpoint", "chat.send"}}));
  ASSERT_TRUE(game.reload("examples/api.yaml"));
  EXPECT_FALSE(PolicyLimiter::load("examples/none.yaml"));
  EXPECT_THROW(PolicyLimiter{std::filesystem::path("examples/none.yaml")}, std::invalid_argument);
  EXPECT_FALSE(game.reload("examples/none.yaml"));
}

TEST_F(PolicyLimiterTest, RefusesOptionsThatCannotBe) {
  const auto refused = [](const PolicyLimiterOptions& options) {
    const auto made = PolicyLimiter::parse(kGame, options);
    EXPECT_FALSE(PolicyLimiter::load("examples/game.yaml", options));
    EXPECT_THROW((PolicyLimiter{std::filesystem::path("examples/game.yaml"), options}),
                 std::invalid_argument);
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_EQ(refused({.max_keys = 0}), "max_keys: 0 has room for no bucket at all");
  EXPECT_EQ(refused({.max_memory = 0}), "max_memory: 0 bytes have room for no table; the least is 88");
  EXPECT_EQ(refused({.max_keys = SIZE_MAX, .max_memory = SIZE_MAX}),
            "max_memory: 18446744073709551615 bytes are more than the maximum of 70368744177664");
}

TEST_F(PolicyLimiterTest, ARefundThatComesTooLateMintsNothing) {
  const Time now = clock_->now() + 1s;
  for (const Cost late : {Cost{0}, Cost{1}}) {
    PolicyLimiter counter = PolicyLimiter::parse(
                                "domain: d\nrules: [{name: a, key: [a], limit: {algorithm: sliding_counter, "
                                "quota: 3, per: 10s}}]\n",
                                {.clock = clock_})
                                .value();
    int admitted = 0;
    for (int round = 0; round < 5; ++round) {
      while (counter.check({{"a", "k"}}, Cost{1}, now)) ++admitted;
      counter.refund({{"a", "k"}}, late, now + 40s);
    }
    EXPECT_EQ(admitted, 3);
  }
}

TEST_F(PolicyLimiterTest, OfAHundredExactlyTenPassWhileItIsReloaded) {
  std::atomic<int> admitted{0};
  int wrong = 0;
  int round = 0;
  std::string account = "0";
  test::race(
      3, test::effort(50),
      [&](int thread, int) {
        if (thread == 2) {
          EXPECT_TRUE(limiter_.reload_text(kGame));
          return;
        }
        for (int i = 0; i < 50; ++i) admitted += chat(account).admitted() ? 1 : 0;
      },
      [&](int) {
        wrong += admitted.exchange(0) == 10 ? 0 : 1;
        account = std::to_string(++round);
      });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace weir
