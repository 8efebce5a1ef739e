#include "weir/stream/regex_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;
using Value = std::optional<std::string>;

std::string open_error(const std::string& pattern) {
  const Result<LogStream> stream = LogStream::open_memory("x", {.format = "regex:" + pattern});
  return stream.ok() ? "" : stream.error().message;
}

TEST(RegexLines, NamedGroupsAreFields) {
  const Rows read = read_text("GET /a 200\nnothing\nPOST /b 404 and more\n",
                              {.format = R"(regex:(?P<verb>[A-Z]+) (?P<path>\S+) (\d)(?P<rest>\d\d))"},
                              {"path", "verb", "rest"});
  ASSERT_EQ(read.rows.size(), 2);
  EXPECT_EQ(read.rows[0].fields, (std::vector<Value>{"/a", "GET", "00"}));
  EXPECT_EQ(read.rows[1].fields, (std::vector<Value>{"/b", "POST", "04"}));
  EXPECT_EQ(read.counts.malformed, 1);
  EXPECT_EQ(read.counts.malformed_where, "memory:2");
}

TEST(RegexLines, IsLookedForAnywhereInTheLine) {
  EXPECT_EQ(read_field("before ip=192.0.2.1 after", R"(regex:ip=(?P<ip>\S+))", "ip"), "192.0.2.1");
  EXPECT_EQ(read_text("before ip=192.0.2.1", {.format = R"(regex:^ip=(?P<ip>\S+))"}).counts.malformed, 1);
}

TEST(RegexLines, TellsNoValueFromAnEmptyOne) {
  const std::string format = R"(regex:^a(?P<b>b)?(?P<c>c*))";
  EXPECT_EQ(read_field("a", format, "b"), std::nullopt);
  EXPECT_EQ(read_field("a", format, "c"), "");
}

TEST(RegexLines, MatchesAnyBytes) {
  const std::string_view line("x\xFF\x00\xC3\xA9y", 6);
  EXPECT_EQ(read_field(line, "regex:^x(?P<middle>.*)y$", "middle"), std::string(line.substr(1, 4)));
  EXPECT_EQ(read_field("caf\xC3\xA9 x", "regex:caf\xC3\xA9 (?P<a>.)", "a"), "x");
}

TEST(RegexLines, ReadsTheTime) {
  const Rows read = read_text("[2015-05-17T10:05:03Z] a\n[] b\n[never] c\n",
                              {.format = R"(regex:\[(?P<time>[^]]*)\] (?P<x>.*))"}, {"x"});
  ASSERT_EQ(read.rows.size(), 2);
  EXPECT_EQ(read.rows[0].time, 1'431'857'103 * kSecond);
  EXPECT_EQ(read.rows[1].time, std::nullopt);
  EXPECT_EQ(read.counts.malformed, 1);
}

TEST(RegexLines, RefusesPatternsThatGiveNothing) {
  EXPECT_THAT(open_error("(unclosed"), HasSubstr("the pattern \"(unclosed\" can't be used: missing )"));
  EXPECT_THAT(open_error("(a)(b)"), HasSubstr("names no group"));
  EXPECT_THAT(open_error(""), HasSubstr("names no group"));
  EXPECT_THAT(open_error("(?P<x>(a{1000}){1000})"), HasSubstr("can't be used"));
  EXPECT_EQ(open_error("(?P<x>a)"), "");
}

TEST(RegexLines, KnowsItsGroups) {
  Result<LogStream> stream = LogStream::open_memory("x", {.format = "regex:(?P<status>a)"});
  ASSERT_TRUE(stream.ok());
  EXPECT_THAT(stream->want("sttus").error().message, HasSubstr("did you mean \"status\"?"));
  EXPECT_EQ(stream->format(), "regex:(?P<status>a)");
}

TEST(RegexLines, StaysLinearOnPatternsThatExplodeElsewhere) {
  std::string line(100'000, 'a');
  line += 'b';
  EXPECT_EQ(read_text(line, {.format = "regex:^(?P<x>(a|a)*)*$"}).counts.malformed, 1);
}

}  // namespace
}  // namespace weir
