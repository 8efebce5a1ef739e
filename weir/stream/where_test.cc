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
