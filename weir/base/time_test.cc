#include "weir/base/time.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/random.h"

namespace weir {
namespace {

std::string seconds(Nanos d) {
  std::string out;
  append_seconds(out, d);
  return out;
}

TEST(Duration, IsAWholeNumberAndAUnit) {
  EXPECT_EQ(*parse_duration("500ms"), 500 * kMillisecond);
  EXPECT_EQ(*parse_duration("10s"), 10 * kSecond);
  EXPECT_EQ(*parse_duration("1m"), kMinute);
  EXPECT_EQ(*parse_duration("7d"), 7 * kDay);
  EXPECT_EQ(*parse_duration("1ns"), 1);
  EXPECT_EQ(*parse_duration("106751d"), 106'751 * kDay);
}

TEST(Duration, IsNothingElse) {
  for (const auto* text :
       {"", "s", "10", "1.5s", "-1s", "+1s", " 1s", "1s ", "1 s", "1S", "1min", "0s", "0x1s", "1e3s", "1_0s",
        "106752d", "99999999999999999999s", "18446744073709551617ns"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_NE(parse_duration(text).error().message.find('"' + std::string(text) + '"'), std::string::npos)
        << text;
  }
}

TEST(Duration, IsWrittenAsItIsRead) {
  for (const auto* text : {"1ns", "1500ms", "90s", "1m", "36h", "7d"}) {
    EXPECT_EQ(format_duration(*parse_duration(text)), text);
  }
  EXPECT_EQ(format_duration(*parse_duration("60s")), "1m");
  EXPECT_EQ(format_duration(0), "0s");
}

TEST(Seconds, AreExactToTheNanosecond) {
  EXPECT_EQ(seconds(0), "0");
  EXPECT_EQ(seconds(1'500'000'000), "1.5");
  EXPECT_EQ(seconds(1), "0.000000001");
  EXPECT_EQ(seconds(-1), "-0.000000001");
  EXPECT_EQ(seconds(kForever), "9223372036.854775807");
  EXPECT_EQ(seconds(std::numeric_limits<Nanos>::min()), "-9223372036.854775808");
}

TEST(Seconds, AreReadAsTheyAreWritten) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<Nanos>(test::draw_edgy(random, ~std::uint64_t{0}));
    if (value == std::numeric_limits<Nanos>::min()) continue;  // its whole part alone does not fit
    EXPECT_EQ(parse_seconds(seconds(value)), value);
  }
}

TEST(Seconds, AreNeverReadThroughADouble) {
  EXPECT_EQ(parse_seconds("1764486000.123456789"), 1'764'486'000'123'456'789);
  EXPECT_EQ(parse_seconds("1764486000.1234567899"), 1'764'486'000'123'456'789);
  for (const auto* text : {"", ".", "1.", ".5", "-", "1e9", "0x1", "1,5", "nan", "inf", " 1", "9223372037"}) {
    EXPECT_FALSE(parse_seconds(text)) << text;
  }
}

TEST(Rfc3339, IsReadInEverySpelling) {
  const Nanos t = 1'431'857'103 * kSecond;
  for (const auto* text :
       {"2015-05-17T10:05:03Z", "2015-05-17t10:05:03z", "2015-05-17 10:05:03Z", "2015-05-17T12:05:03+02:00",
        "2015-05-17T12:05:03+0200", "2015-05-17T04:35:03-05:30", "2015-05-17T10:05:03.000Z",
        "2015-05-17T10:05:03,0Z"}) {
    EXPECT_EQ(parse_rfc3339(text), t) << text;
  }
  EXPECT_EQ(parse_rfc3339("2015-05-17T10:05:03.123456789Z"), t + 123'456'789);
  EXPECT_EQ(parse_rfc3339("2016-12-31T23:59:60Z"), parse_rfc3339("2017-01-01T00:00:00Z"));
}

TEST(Rfc3339, IsNothingElse) {
  for (const auto* text :
       {"", "2015-05-17", "2015-05-17T10:05:03", "2015-5-17T10:05:03Z", "2015-02-29T00:00:00Z",
        "2015-13-01T00:00:00Z", "2015-05-17T24:00:00Z", "2015-05-17T10:60:03Z", "2015-05-17T10:05:61Z",
        "2015-05-17T10:05:03.Z", "2015-05-17T10:05:03Zx", "2263-01-01T00:00:00Z", "1676-01-01T00:00:00Z",
        "2015-05-17T10:05:03+24:00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
  EXPECT_TRUE(parse_rfc3339("2016-02-29T00:00:00Z"));
}

TEST(Rfc3339, IsWrittenAsItIsRead) {
  EXPECT_EQ(format_rfc3339(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(-1), "1969-12-31T23:59:59.999999999Z");
  std::mt19937_64 random(2);
  for (int i = 0; i < 20'000; ++i) {
    const auto value = static_cast<Nanos>(test::draw_edgy(random, ~std::uint64_t{0}));
    if (value < std::numeric_limits<Nanos>::min() + kSecond) continue;
    EXPECT_EQ(parse_rfc3339(format_rfc3339(value)), value);
  }
}

TEST(CeilSeconds, NeverRoundsDown) {
  EXPECT_EQ(ceil_seconds(0), 0);
  EXPECT_EQ(ceil_seconds(1), 1);
  EXPECT_EQ(ceil_seconds(kSecond), 1);
  EXPECT_EQ(ceil_seconds(kSecond + 1), 2);
  EXPECT_EQ(ceil_seconds(kForever), 9'223'372'037);
}

}  // namespace
}  // namespace weir
