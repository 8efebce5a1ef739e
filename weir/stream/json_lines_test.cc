#include "weir/stream/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "weir/base/text.h"
#include "weir/stream/json_text.h"
#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using Value = std::optional<std::string>;

Value json_field(std::string_view line, const std::string& field) {
  return read_field(line, "json", field);
}

bool is_malformed(std::string_view line) {
  const Rows read = read_text(line, {.format = "json"}, {"a", "b.c"});
  EXPECT_EQ(read.counts.records, 1) << line;
  return read.counts.malformed == 1;
}

TEST(JsonLines, GivesValuesAsText) {
  const std::vector<std::pair<std::string, Value>> cases = {
      {R"("x")", "x"},
      {R"("")", ""},
      {R"("a\"b\\c\/d\n\t\r\b\f")", "a\"b\\c/d\n\t\r\b\f"},
      {R"("\u0041\u00e9\u20ac\ud83d\ude00")", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {R"("\u0000")", std::string(1, '\0')},
      {R"("\ud83d")", "\xEF\xBF\xBD"},
      {R"("\ude00x")", "\xEF\xBF\xBDx"},
      {R"("\ud83d\ud83d\ude00")", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
      {"12", "12"},
      {"-0.50", "-0.50"},
      {"1e400", "1e400"},
      {"123456789012345678901234567890", "123456789012345678901234567890"},
      {"true", "true"},
      {"false", "false"},
      {"null", std::nullopt},
      {R"({"b": [1, 2]})", R"({"b": [1, 2]})"},
      {R"([1, {"x": "]"}])", R"([1, {"x": "]"}])"},
      {"[]", "[]"},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(json_field(R"({"a":)" + text + "}", "a"), value) << text;
    EXPECT_EQ(json_field(R"(  { "z" : 1 , "a" : )" + text + "  , \"y\" : [ ] }  ", "a"), value) << text;
  }
  EXPECT_EQ(json_field("{}", "a"), std::nullopt);
}

TEST(JsonLines, FollowsDotsAndPrefersExactKeys) {
  const std::vector<std::tuple<std::string, std::string, Value>> cases = {
      {R"({"req":{"headers":{"host":"x"}}})", "req.headers.host", "x"},
      {R"({"req":{"headers":{"host":"x"}}})", "req.headers", R"({"host":"x"})"},
      {R"({"req":{"headers":{"host":"x"}}})", "req.host", std::nullopt},
      {R"({"req.headers.host":"exact","req":{"headers":{"host":"x"}}})", "req.headers.host", "exact"},
      {R"({"req":{"headers":{"host":"x"}},"req.headers.host":"exact"})", "req.headers.host", "exact"},
      {R"({"req.headers":{"host":"x"}})", "req.headers.host", "x"},
      {R"({"req":{"headers.host":"x"}})", "req.headers.host", "x"},
      {R"({"req":"no object"})", "req.headers.host", std::nullopt},
      {R"({"req":["no object"]})", "req.headers.host", std::nullopt},
      {R"({"req":{"headers":{}}})", "req.headers.host", std::nullopt},
      {R"({"a":1,"a":2})", "a", "1"},
      {R"({"a":null,"a":2})", "a", std::nullopt},
      {R"({"a":{"b":1},"a":{"b":2}})", "a.b", "1"},
      {R"({"a.b":null,"a":{"b":2}})", "a.b", std::nullopt},
      {R"({"":"empty"})", "", "empty"},
      {R"({"":{"x":1}})", ".x", "1"},
      {R"({"a\"b":1})", "a\"b", "1"},
      {R"({"\u0061":1})", "a", "1"},
  };
  for (const auto& [text, field, value] : cases)
    EXPECT_EQ(json_field(text, field), value) << text << ' ' << field;
}

TEST(JsonLines, GivesAnObjectAndWhatIsInIt) {
  const Rows read =
      read_text(R"({"a":{"b":{"c":1}},"d":2})", {.format = "json"}, {"a.b.c", "a", "d", "a.b", "line"});
  ASSERT_EQ(read.rows.size(), 1);
  EXPECT_EQ(read.rows[0].fields,
            (std::vector<Value>{"1", R"({"b":{"c":1}})", "2", R"({"c":1})", R"({"a":{"b":{"c":1}},"d":2})"}));
}

TEST(JsonLines, ValuesDoNotLastIntoTheNextRecord) {
  const Rows read = read_text("{\"a\":\"x\\n\"}\n{\"b\":1}\n{\"a\":3}\n", {.format = "json"}, {"a"});
  ASSERT_EQ(read.rows.size(), 3);
  EXPECT_EQ(read.rows[0].fields[0], "x\n");
  EXPECT_EQ(read.rows[1].fields[0], std::nullopt);
  EXPECT_EQ(read.rows[2].fields[0], "3");
}

TEST(JsonLines, CountsWhatIsNoObjectAsMalformed) {
  for (const std::string_view text : {"x",
                                      "12",
                                      "\"a\"",
                                      "[1]",
                                      "null",
                                      "{",
                                      "}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1",
                                      "{\"a\":1,}",
                                      "{\"a\":1}}",
                                      "{\"a\":1} x",
                                      "{\"a\":1}{\"a\":2}",
                                      "{a:1}",
                                      "{'a':1}",
                                      "{\"a\":01}",
                                      "{\"a\":1.}",
                                      "{\"a\":+1}",
                                      "{\"a\":.5}",
                                      "{\"a\":1e}",
                                      "{\"a\":tru}",
                                      "{\"a\":truee}",
                                      "{\"a\":nul}",
                                      "{\"a\":NaN}",
                                      "{\"a\":\"x}",
                                      "{\"a\":\"\\x41\"}",
                                      "{\"a\":\"\\u12g4\"}",
                                      "{\"a\":\"\\ud83d\\u12\"}",
                                      "{\"a\":\"x\"y}",
                                      "{\"a\":\"\x01\"}",
                                      "{\"a\":1 2}",
                                      "{\"b\":{\"c\":}}",
                                      "{\"b\":{\"c\":1}",
                                      "{\"a\":[1}",
                                      "{\"x\":tru}",
                                      "{\"a\" 1}",
                                      "{,}",
                                      "{\"a\":1 \"b\":2}"}) {
    EXPECT_TRUE(is_malformed(text)) << text;
  }
  EXPECT_TRUE(is_malformed(std::string_view("{\"a\":\"\0\"}", 9)));
  EXPECT_FALSE(is_malformed("{\"a\":1}"));
}

TEST(JsonLines, SurvivesDepth) {
  const std::size_t deep = 200'000;
  const std::string arrays = R"({"a":)" + std::string(deep, '[') + std::string(deep, ']') + ",\"z\":1}";
  EXPECT_EQ(json_field(arrays, "z"), "1");
  std::string objects;
  for (std::size_t i = 0; i < deep; ++i) objects += R"({"a":)";
  objects += "1" + std::string(deep, '}');
  EXPECT_EQ(json_field(objects, "a.a.z"), std::nullopt);
  EXPECT_TRUE(is_malformed(std::string(deep, '[')));
  EXPECT_TRUE(is_malformed(objects.substr(0, objects.size() - 1)));
}

TEST(JsonLines, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_field("{\"a\":\"x\xFFy\xC3\xA9\"}", "a"), "x\xEF\xBF\xBDy\xC3\xA9");
  EXPECT_EQ(json_field("{\"a\xFF\":\"x\"}", "a\xEF\xBF\xBD"), "x");
}

struct TimeCase {
  std::string text;
  std::optional<Nanos> time;
};

TEST(JsonLines, ReadsTimesExactly) {
  const Nanos second = 1'431'857'103 * kSecond;
  const std::vector<TimeCase> cases = {
      {R"({"time":"2015-05-17T10:05:03Z"})", second},
      {R"({"timestamp":"2015-05-17T12:05:03.123456789+02:00"})", second + 123'456'789},
      {R"({"ts":1431857103})", second},
      {R"({"ts":1431857103.123456789})", second + 123'456'789},
      {R"({"ts":"1431857103.1"})", second + 100'000'000},
      {R"({"ts":1.431857103e9})", second},
      {R"({"@timestamp":"2015-05-17 10:05:03"})", second},
      {R"({"ts":1,"time":2,"timestamp":3})", 2 * kSecond},
      {R"({"ts":1,"time":null})", kSecond},
      {R"({"time":null})", std::nullopt},
      {R"({"x":{"time":"nothing"}})", std::nullopt},
      {R"({})", std::nullopt},
  };
  for (const TimeCase& each : cases) {
    const Rows read = read_text(each.text, {.format = "json"});
    ASSERT_EQ(read.rows.size(), 1) << each.text;
    EXPECT_EQ(read.rows[0].time, each.time) << each.text;
  }
  for (const std::string_view text :
       {R"({"time":"yesterday"})", R"({"time":""})", R"({"time":true})", R"({"time":[1]})", R"({"time":{}})",
        R"({"time":1e30})", R"({"time":"2415-05-17T10:05:03Z"})", R"({"time":1431857103000})",
        R"({"time":"\x"})"}) {
    EXPECT_TRUE(is_malformed(text)) << text;
  }
}

RC_GTEST_PROP(JsonLines, ReadsBackWhatJsonWriters, ()) {
  const auto key = *rc::gen::container<std::string>(rc::gen::inRange('\x01', '\x7F'));
  const auto value = *rc::gen::container<std::string>(rc::gen::inRange('\x00', '\x7F'));
  RC_PRE(key != "time" && key != "ts");
  std::string line = "{";
  append_json_string(line, key);
  line += ':';
  append_json_string(line, value);
  line += '}';
  RC_ASSERT(json_field(line, key) == value);
}

TEST(JsonText, KnowsNumbers) {
  for (const std::string_view good :
       {"0", "-0", "1", "10", "-1.50", "1e5", "1E+5", "1.5e-05", "0.1", "0e0"}) {
    EXPECT_TRUE(is_json_number(good)) << good;
  }
  for (const std::string_view bad :
       {"", "-", "01", "-01", "1.", ".1", "1e", "1e+", "+1", "1 ", "0x1", "1.e1", "1_0", "Infinity"}) {
    EXPECT_FALSE(is_json_number(bad)) << bad;
  }
}

}  // namespace
}  // namespace weir
