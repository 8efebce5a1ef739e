#include "weir/policy/zone.h"

#include <gtest/gtest.h>

#include "weir/policy/posix_rule.h"

namespace weir {
namespace {

Nanos at(std::string_view text) {
  return *parse_rfc3339(text);
}

Nanos day_length(const std::shared_ptr<const Zone>& zone, std::string_view noon) {
  const Window window = Calendar(CalendarUnit::day, zone).at(at(noon));
  return window.end - window.start;
}

// A28
TEST(Zone, DaysOfLondonAreLongAndShort) {
  const auto london = *load_zone("Europe/London");
  EXPECT_EQ(day_length(london, "2016-10-30T12:00:00Z"), 25 * kHour);
  EXPECT_EQ(day_length(london, "2016-03-27T12:00:00Z"), 23 * kHour);
  EXPECT_EQ(day_length(london, "2016-03-28T12:00:00Z"), 24 * kHour);
  EXPECT_EQ(day_length(nullptr, "2016-03-27T12:00:00Z"), 24 * kHour);
}

TEST(Zone, SummerTimeGoesOnBeyondTheListedChanges) {
  const auto london = *load_zone("Europe/London");
  EXPECT_EQ(day_length(london, "2150-03-29T12:00:00Z"), 23 * kHour);
  EXPECT_EQ(day_length(london, "2150-10-25T12:00:00Z"), 25 * kHour);
  const auto sydney = *load_zone("Australia/Sydney");
  EXPECT_EQ(day_length(sydney, "2100-10-03T02:00:00Z"), 23 * kHour);
  EXPECT_EQ(day_length(sydney, "2100-04-04T02:00:00Z"), 25 * kHour);
}

TEST(Zone, SeoulHasHadSummerTimeInTwoYears) {
  const auto seoul = *load_zone("Asia/Seoul");
  EXPECT_EQ(seoul->name, "Asia/Seoul");
  EXPECT_EQ(seoul->spans.size(), 5U);
  EXPECT_EQ(seoul->spans.front().offset, 9 * kHour);
  EXPECT_EQ(seoul->spans.back().offset, 9 * kHour);
}

TEST(Zone, UtcNeedsNoDatabase) {
  EXPECT_EQ(*load_zone("UTC"), nullptr);
  EXPECT_EQ(*load_zone("Etc/UTC"), nullptr);
}

TEST(Zone, UnknownNames) {
  EXPECT_EQ(load_zone("Asia/Soul").error().message,
            "unknown time zone \"Asia/Soul\"; did you mean \"Asia/Seoul\"?");
  EXPECT_FALSE(load_zone("../../etc/passwd").ok());
  EXPECT_FALSE(load_zone("").ok());
  EXPECT_FALSE(load_zone("europe/london").ok());
}

TEST(PosixRule, Forms) {
  const auto rule = PosixRule::parse("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->summer(2050).offset, -kHour);
  EXPECT_EQ(rule->summer(2050).at, at("2050-03-27T01:00:00Z"));
  EXPECT_EQ(rule->winter(2050).at, at("2050-10-30T01:00:00Z"));
  // Dublin's summer time is its standard one, and winter the exception.
  EXPECT_EQ(PosixRule::parse("IST-1GMT0,M10.5.0,M3.5.0/1")->summer(2050).offset, 0);
  for (const char* text :
       {"", "KST-9", "GMT0BST", "GMT0BST,M3.5.0/1", "GMT0BST,J60,J300", "GMT0BST,M13.5.0,M10.5.0",
        "GMT0BST,M3.6.0,M10.5.0", "GMT0BST,M3.5.7,M10.5.0", "GMT0BST,M3.5.0,M10.5.0x", "0,,", "<GMT0"}) {
    EXPECT_FALSE(PosixRule::parse(text)) << text;
  }
}

}  // namespace
}  // namespace weir
