#include "weir/stream/where.h"

#include <gtest/gtest.h>

#include <map>

namespace weir {
namespace {

/// Records with any fields by name.
struct Fixture {
  std::vector<std::string> names{};
  std::vector<std::optional<std::string_view>> values{};

  bool holds(std::string_view text, const std::map<std::string, std::string>& fields,
             std::optional<Nanos> time = std::nullopt) {
    Result<Where> where = Where::parse(text);
    EXPECT_TRUE(where) << (where ? "" : where.error().message);
    names.clear();
    const Status bound = where->bind([&](std::string_view name) -> Result<FieldId> {
      names.emplace_back(name);
      return FieldId{static_cast<std::uint32_t>(names.size() - 1)};
    });
    EXPECT_TRUE(bound);
    values.clear();
    for (const std::string& name : names) {
      const auto found = fields.find(name);
      values.push_back(found == fields.end() ? std::nullopt : std::optional<std::string_view>(found->second));
    }
    Record record;
    record.fields = values;
    record.time = time;
    return where->holds(record);
  }
};

TEST(Where, a_missing_field_equals_nothing) {
  Fixture fixture;
  EXPECT_FALSE(fixture.holds("user=x", {}));
  EXPECT_TRUE(fixture.holds("user!=x", {}));
  EXPECT_TRUE(fixture.holds("not user=x", {}));
  EXPECT_FALSE(fixture.holds("n<5 or n>=5", {}));
  EXPECT_FALSE(fixture.holds("user~x or user~.", {}));
  EXPECT_TRUE(fixture.holds("user=''", {{"user", ""}}));
}

TEST(Where, text_is_above_and_below_no_number) {
  Fixture fixture;
  EXPECT_FALSE(fixture.holds("bytes<5 or bytes>=5", {{"bytes", "-"}}));
  EXPECT_TRUE(fixture.holds("bytes='-'", {{"bytes", "-"}}));
  EXPECT_TRUE(fixture.holds("bytes=-", {{"bytes", "-"}}));
  EXPECT_TRUE(fixture.holds("n<10", {{"n", "9"}}));
  EXPECT_FALSE(fixture.holds("n<'10'", {{"n", "9"}}));
}

TEST(Where, and_binds_closer_than_or) {
  Fixture fixture;
  EXPECT_TRUE(fixture.holds("a=1 or b=1 and c=1", {{"a", "1"}}));
  EXPECT_FALSE(fixture.holds("(a=1 or b=1) and c=1", {{"a", "1"}}));
  EXPECT_FALSE(fixture.holds("not a=1 and b=1", {{"a", "1"}, {"b", "1"}}));
  EXPECT_TRUE(fixture.holds("not (a=1 and b=2)", {{"a", "1"}, {"b", "1"}}));
}

TEST(Where, time_is_that_of_the_record) {
  Fixture fixture;
  const std::string condition = "time>='1970-01-01T00:01:00Z'";
  EXPECT_TRUE(fixture.holds(condition, {{"time", "0"}}, kMinute));
  EXPECT_FALSE(fixture.holds(condition, {{"time", "9"}}, kMinute - 1));
  EXPECT_FALSE(fixture.holds(condition, {{"time", "9"}}));
}

TEST(Where, times_are_read_and_never_compared_by_their_bytes) {
  Fixture fixture;
  constexpr Nanos kTen = 1'714'557'600 * kSecond;  // 2024-05-01T10:00:00Z
  for (const std::string text :
       {"2024-05-01T10:00:00Z", "2024-05-01T12:00:00+02:00", "'2024-05-01 10:00:00'", "2024-05-01T10:00",
        "2024-05-01T12:00+02:00", "1714557600", "'1714557600.0'", "1.7145576e9"}) {
    EXPECT_TRUE(fixture.holds("time=" + text, {{"time", "x"}}, kTen)) << text;
    EXPECT_FALSE(fixture.holds("time<" + text, {{"time", "x"}}, kTen)) << text;
    EXPECT_TRUE(fixture.holds("time<" + text, {{"time", "x"}}, kTen - 1)) << text;
  }
  constexpr Nanos kMidnight = kTen - 10 * kHour;
  EXPECT_TRUE(fixture.holds("time>=2024-05-01 and time<2024-05-02", {}, kMidnight));
  EXPECT_TRUE(fixture.holds("time>=2024-05-01 and time<2024-05-02", {}, kMidnight + kDay - 1));
  EXPECT_FALSE(fixture.holds("time>=2024-05-01 and time<2024-05-02", {}, kMidnight + kDay));
}

TEST(Where, what_is_no_time_is_refused_with_what_to_write) {
  const auto error = [](const std::string& text) {
    const Result<Where> where = Where::parse(text);
    return where ? std::string("none") : where.error().message;
  };
  EXPECT_EQ(error("time>=1714557600123"),
            "--where: column 7: \"1714557600123\" is no time in seconds since 1970, which end in 2262; write "
            "1714557600.123 if it counts parts of a second");
  EXPECT_EQ(
      error("time=2024-05-01"),
      "--where: column 6: \"2024-05-01\" is a whole day, which goes with >= and < only; with = write an "
      "instant such as 2024-05-01T10:00:00Z");
  for (const std::string text : {"yesterday", "2024-13-01", "2024-05-01T25:00:00Z", "10:00",
                                 "'17/May/2015:10:05:03 +0000'", "''", "99999999999999999999999"}) {
    EXPECT_NE(error("time>=" + text).find("is no time; write one such as"), std::string::npos) << text;
  }
  EXPECT_EQ(error("time~May"), "none");
  EXPECT_EQ(error("'time'~May or timestamp=yesterday"), "none");
}

TEST(Where, the_time_of_a_record_may_stand_in_a_field_of_another_name) {
  const auto bind_to = [](const std::string& only, const std::string& text) {
    return Where::parse(text)->bind([&](std::string_view name) -> Result<FieldId> {
      if (name == only) return FieldId{0};
      return Error{"there is no column \"" + std::string(name) + '"'};
    });
  };
  EXPECT_TRUE(bind_to("ts", "time>=2024-05-01"));
  EXPECT_FALSE(bind_to("ts", "time~2024"));
  EXPECT_EQ(bind_to("n", "time>=2024-05-01").error().message,
            "--where: column 1: there is no column \"time\"");
}

TEST(Where, expressions_are_of_bytes_and_found_anywhere) {
  Fixture fixture;
  EXPECT_TRUE(fixture.holds(R"(path~'^/a\d+$')", {{"path", "/a12"}}));
  EXPECT_TRUE(fixture.holds(R"(path~'\xff')", {{"path", "a\xff"}}));
  EXPECT_FALSE(fixture.holds("path~b", {{"path", "a"}}));
}

TEST(Where, hostile_texts_are_errors_and_no_more) {
  const std::string deep(100'000, '(');
  std::string nots;
  for (int i = 0; i < 10'000; ++i) nots += "not ";
  for (const std::string& text :
       {deep, nots, nots + "a=1", std::string("\0=1", 3), std::string("a~") + deep}) {
    EXPECT_FALSE(Where::parse(text) && text != std::string("\0=1", 3)) << text.substr(0, 20);
  }
}

}  // namespace
}  // namespace weir
