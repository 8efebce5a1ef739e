#include "weir/replay/limit_text.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string error_of(std::string_view text) {
  const Result<Limit> limit = parse_limit_text(text);
  return limit ? "no error" : limit.error().message;
}

TEST(LimitText, reads_every_field) {
  EXPECT_EQ(*parse_limit_text("algorithm=sliding_log,quota=60,per=60s"),
            (Limit{.algorithm = Algorithm::sliding_log, .quota = 60, .per = kMinute}));
  EXPECT_EQ(*parse_limit_text("quota=1, per=1s, burst=10"), (Limit{.quota = 1, .per = kSecond, .burst = 10}));
  EXPECT_EQ(*parse_limit_text("algorithm=fixed_window,quota=5,per=1 day"),
            (Limit{.algorithm = Algorithm::fixed_window, .quota = 5, .per = Calendar(CalendarUnit::day)}));
}

TEST(LimitText, says_what_is_wrong) {
  EXPECT_EQ(error_of("quota=60,per=1 minute").substr(0, 5), "per: ");
  EXPECT_EQ(error_of("algorithm=sliding_lag,quota=60,per=1m"),
            "unknown algorithm \"sliding_lag\"; did you mean \"sliding_log\"?");
  EXPECT_EQ(error_of("qota=60,per=1m"), "unknown field \"qota\"; did you mean \"quota\"?");
  EXPECT_EQ(error_of("quota=60"), "no per given; write algorithm=sliding_log,quota=60,per=1m");
  EXPECT_EQ(error_of(""), "no quota given; write algorithm=sliding_log,quota=60,per=1m");
  EXPECT_EQ(error_of("quota=-1,per=1m"), "quota: \"-1\" is not a whole number");
  EXPECT_EQ(error_of("quota=1,quota=2,per=1m"), "quota is given twice");
  EXPECT_EQ(error_of("60/m").substr(0, 26), "\"60/m\" is no field=value; ");
  EXPECT_EQ(error_of("quota=1,per=1s,burst=0").substr(0, 7), "burst: ");
  EXPECT_EQ(error_of("algorithm=sliding_log,quota=1000001,per=1m").substr(0, 7), "quota: ");
}

TEST(LimitText, is_written_as_it_is_read) {
  for (const std::string text : {"{\"algorithm\":\"token_bucket\",\"quota\":1,\"per\":\"90s\",\"burst\":10}",
                                 "{\"algorithm\":\"fixed_window\",\"quota\":0,\"per\":\"1 month\"}"}) {
    const bool calendar = text.find("month") != std::string::npos;
    const Limit limit = calendar ? *parse_limit_text("algorithm=fixed_window,quota=0,per=1 month")
                                 : *parse_limit_text("quota=1,per=90s,burst=10");
    std::string out;
    JsonWriter json(out);
    write_limit(json, limit);
    EXPECT_EQ(out, text);
  }
}

TEST(LimitText, makes_a_policy_of_one_rule) {
  const auto policy = policy_of(*parse_limit_text("quota=1,per=1s,burst=10"), {"ip", "account"});
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ((*policy)->rules().size(), 1U);
  EXPECT_EQ((*policy)->rules()[0].key, (std::vector<std::string>{"ip", "account"}));
  EXPECT_EQ((*policy)->rules()[0].limits[0].limit, (Limit{.quota = 1, .per = kSecond, .burst = 10}));
}

}  // namespace
}  // namespace weir
