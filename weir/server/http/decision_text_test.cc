#include "weir/server/http/decision_text.h"

#include <gtest/gtest.h>

namespace weir::server {
namespace {

std::string field_string(std::string_view text) {
  std::string out;
  append_field_string(out, text);
  return out;
}

TEST(DecisionText, NamesAreSafeInHeaders) {
  EXPECT_EQ(field_string("chat"), "\"chat\"");
  EXPECT_EQ(field_string("a \"b\" \\"), R"("a \"b\" \\")");
  EXPECT_EQ(field_string("5% \xC3\xA9\r\n"), "\"5%25 %C3%A9%0D%0A\"");
  EXPECT_EQ(field_string(std::string_view("\0\x7F", 2)), "\"%00%7F\"");
}

class Fields : public ::testing::Test {
 protected:
  std::string fields(const Decision& decision, std::optional<Nanos> more, LimitHeaders dialect) {
    std::string out;
    append_limit_fields(out, {decision, &policy_}, more, dialect);
    return out;
  }

  Policy policy_ = Policy::parse(
                       "domain: d\nrules:\n"
                       "  - {name: a, key: [], limit: {quota: 4611686018427387903, per: 90s}}\n"
                       "  - {name: b, key: [], limit: {quota: 3, per: 1500ms}}\n")
                       .value();
};

TEST_F(Fields, RoundUpAndNeverSay0) {
  const Decision denied{.allowed = false, .rule = 1, .limit = 3, .retry_after = 1};
  EXPECT_EQ(fields(denied, 1, LimitHeaders::ietf),
            "Retry-After: 1\r\nRateLimit-Policy: \"b\";q=3\r\nRateLimit: \"b\";r=0;t=1\r\n");
  const Decision later{
      .allowed = false, .rule = 1, .limit = 3, .retry_after = 2 * kSecond + 1, .reset_after = kSecond + 1};
  EXPECT_EQ(fields(later, kSecond, LimitHeaders::none), "Retry-After: 3\r\n");
  EXPECT_EQ(
      fields(later, 2 * kSecond, LimitHeaders::legacy),
      "Retry-After: 3\r\nRateLimit-Policy: \"b\";q=3\r\nRateLimit: \"b\";r=0;t=2\r\nX-RateLimit-Limit: 3\r\n"
      "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 2\r\n");
}

TEST_F(Fields, SayNothingOfNever) {
  const Decision never{.allowed = false, .rule = 1, .limit = 3, .remaining = 3, .retry_after = std::nullopt};
  EXPECT_EQ(fields(never, std::nullopt, LimitHeaders::ietf),
            "RateLimit-Policy: \"b\";q=3\r\nRateLimit: \"b\";r=3\r\n");
}

TEST_F(Fields, StopAtTheLargestIntegerOfAField) {
  const Decision allowed{.rule = 0, .limit = 4611686018427387903, .remaining = 4611686018427387902};
  EXPECT_EQ(fields(allowed, 1, LimitHeaders::ietf),
            "RateLimit-Policy: \"a\";q=999999999999999;w=90\r\nRateLimit: \"a\";r=999999999999999;t=1\r\n");
}

TEST_F(Fields, AreAbsentWithoutARule) {
  EXPECT_EQ(fields({}, std::nullopt, LimitHeaders::legacy), "");
}

}  // namespace
}  // namespace weir::server
