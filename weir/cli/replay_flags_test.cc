#include "weir/cli/replay_flags.h"

#include <gtest/gtest.h>

#include "weir/cli/explain_facts.h"
#include "weir/cli/progress.h"

namespace weir {
namespace {

ReplayFlags flags_with_policy() {
  ReplayFlags flags;
  flags.policy = "p.yaml";
  return flags;
}

TEST(ReplayFlags, have_sensible_defaults) {
  const Result<ReplayPlan> plan = plan_of(flags_with_policy());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->what, ReplayPlan::What::policy);
  EXPECT_EQ(plan->key, std::vector<std::string>{"ip"});
  EXPECT_EQ(plan->touch.billionths, 1'000'000U);
  EXPECT_EQ(plan->top, 10U);
  EXPECT_EQ(plan->input.lateness, 5 * kMinute);
  EXPECT_EQ(plan->log.format, "auto");
}

TEST(ReplayFlags, are_read_in_full) {
  ReplayFlags flags;
  flags.suggest = true;
  flags.key = "ip, account";
  flags.touch = "1%";
  flags.top = "3";
  flags.maps = {"account=user", "endpoint=a=b"};
  flags.year = "2015";
  flags.max_line = "64K";
  flags.lateness = "1h";
  flags.max_memory = "2G";
  const Result<ReplayPlan> plan = plan_of(flags);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->what, ReplayPlan::What::suggest);
  EXPECT_EQ(plan->key, (std::vector<std::string>{"ip", "account"}));
  EXPECT_EQ(plan->touch.billionths, 10'000'000U);
  EXPECT_EQ(plan->input.fields.at("account"), "user");
  EXPECT_EQ(plan->input.fields.at("endpoint"), "a=b");
  EXPECT_EQ(plan->log.year, 2015);
  EXPECT_EQ(plan->log.max_line, std::size_t{64} << 10U);
  EXPECT_EQ(plan->input.lateness, kHour);
  EXPECT_EQ(plan->replay.max_memory, std::size_t{2} << 30U);
}

TEST(ReplayFlags, take_an_empty_key_for_the_global_bucket) {
  ReplayFlags flags;
  flags.tries = {"quota=1,per=1s"};
  flags.key = "";
  EXPECT_TRUE(plan_of(flags)->key.empty());
}

TEST(ReplayFlags, refuse_what_they_can_not_mean) {
  for (const std::string bad : {"", "0", "x", "1T", "-1", "1.5G", "18446744073709551615G"}) {
    ReplayFlags flags = flags_with_policy();
    flags.max_memory = bad;
    EXPECT_FALSE(plan_of(flags)) << bad;
  }
  for (const std::string bad : {"1", "87"}) {
    ReplayFlags flags = flags_with_policy();
    flags.max_memory = bad;
    ASSERT_FALSE(plan_of(flags)) << bad;
    EXPECT_NE(plan_of(flags).error().message.find("the least is 88"), std::string::npos);
    flags.max_memory = "88";
    EXPECT_TRUE(plan_of(flags));
  }
  {
    ReplayFlags flags;
    flags.tries = {"quota=1,per=1s", "quota=2,per=1s"};
    flags.max_memory = "175";
    ASSERT_FALSE(plan_of(flags));
    EXPECT_NE(plan_of(flags).error().message.find("the least is 176"), std::string::npos);
    flags.max_memory = "176";
    EXPECT_EQ(plan_of(flags)->replay.max_memory, 88U);
  }
  for (const std::string bad : {"1677", "2262", "x", "15"}) {
    ReplayFlags flags = flags_with_policy();
    flags.year = bad;
    EXPECT_FALSE(plan_of(flags)) << bad;
  }
  for (const std::string bad : {",", "ip,", ",ip", "ip,,account", "ip,ip"}) {
    ReplayFlags flags;
    flags.suggest = true;
    flags.key = bad;
    EXPECT_FALSE(plan_of(flags)) << bad;
  }
}

TEST(Progress, tells_as_much_as_is_known) {
  EXPECT_EQ(
      progress_line({.bytes = 500'000'000, .total_bytes = 2'000'000'000, .records = 1'000'000}, 2 * kSecond),
      " 25%  500.0 MB of 2.0 GB  500,000 records/s  6s left");
  EXPECT_EQ(progress_line({.bytes = 999, .records = 3}, kSecond), "read 999 B  3 records/s");
  EXPECT_EQ(progress_line({.bytes = 1000, .records = 3, .given_out = 1, .reading = false}, 0),
            "read 1.0 kB, decided 1 of 3 records  0 records/s");
  EXPECT_EQ(progress_line({}, 0), "read 0 B  0 records/s");
}

TEST(ExplainFacts, count_requests_and_not_units) {
  const Rule rule{.name = "r", .key = {}, .limits = {}, .cost = 2};
  const Limit limit{.quota = 15, .per = kMinute};
  const RuleFacts facts = facts_of(rule, limit, 3, 0);
  EXPECT_EQ(facts.units, 6U);
  EXPECT_EQ(facts.most, (Most{2, 4, 152, 3602}));
  EXPECT_EQ(facts.retry_after, 24 * kSecond);
  EXPECT_EQ(facts.words, 1U);
}

TEST(ExplainFacts, count_what_is_left_of_a_window_as_lost) {
  const Rule rule{.name = "r", .key = {}, .limits = {}, .cost = 3};
  const auto most = [&](Algorithm algorithm) {
    return facts_of(rule, Limit{.algorithm = algorithm, .quota = 5, .per = kMinute}, 1, 0).most;
  };
  EXPECT_EQ(most(Algorithm::fixed_window), (Most{2, 2, 61, 1441}));
  EXPECT_EQ(most(Algorithm::sliding_log), (Most{1, 1, 60, 1440}));
  EXPECT_LE(most(Algorithm::sliding_counter)[2], 61U);
}

TEST(ExplainFacts, know_what_will_never_pass) {
  const Rule rule{.name = "r", .key = {}, .limits = {}};
  for (const Limit& limit : {Limit{.quota = 0}, Limit{.quota = 4}}) {
    const RuleFacts facts = facts_of(rule, limit, 5, 0);
    EXPECT_EQ(facts.most, (Most{0, 0, 0, 0}));
    EXPECT_FALSE(facts.retry_after);
  }
}

TEST(ExplainFacts, give_the_longest_wait_of_a_window) {
  const Rule rule{.name = "r", .key = {}, .limits = {}};
  for (const Algorithm algorithm : {Algorithm::fixed_window, Algorithm::sliding_log}) {
    const Limit limit{.algorithm = algorithm, .quota = 5, .per = kMinute};
    EXPECT_EQ(facts_of(rule, limit, 1, 12'345).retry_after, kMinute);
  }
}

}  // namespace
}  // namespace weir
