#include "weir/stream/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "weir/stream/access_time.h"
#include "weir/stream/log_escapes.h"
#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using Value = std::optional<std::string>;

constexpr std::string_view kUsual =
    R"log(192.0.2.1 - frank [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 2326 "http://example.com/" "Mozilla/5.0 (X11)")log";

/// A combined line with this request.
std::string with_request(const std::string& request) {
  return "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"" + request + "\" 400 0 \"-\" \"-\"";
}

/// A combined line with this beginning, up to the time.
std::string with_front(const std::string& front) {
  return front + R"( [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x")";
}

std::string with_agent(const std::string& agent) {
  return R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" ")" + agent + '"';
}

bool is_malformed(const std::string& line, const std::string& format = "combined") {
  const Rows read = read_text(line, {.format = format});
  EXPECT_EQ(read.counts.records, 1) << line;
  return read.counts.malformed == 1;
}

TEST(AccessLog, ReadsEveryField) {
  const std::vector<std::pair<std::string, Value>> fields = {
      {"ip", "192.0.2.1"},
      {"ident", std::nullopt},
      {"user", "frank"},
      {"time", "17/May/2015:10:05:03 +0000"},
      {"method", "GET"},
      {"path", "/a?b=c"},
      {"protocol", "HTTP/1.1"},
      {"request", "GET /a?b=c HTTP/1.1"},
      {"status", "200"},
      {"bytes", "2326"},
      {"user_agent", "Mozilla/5.0 (X11)"},
      {"referer", "http://example.com/"},
      {"line", std::string(kUsual)},
  };
  for (const auto& [field, value] : fields) EXPECT_EQ(read_field(kUsual, "combined", field), value) << field;
  const Rows read = read_text(kUsual, {.format = "combined"});
  ASSERT_EQ(read.rows.size(), 1);
  EXPECT_EQ(read.rows[0].time, from_civil(2015, 5, 17, 10, 5, 3));
}

struct RequestCase {
  std::string request;
  Value method;
  Value path;
  Value protocol;
};

TEST(AccessLog, FindsMethodAndPathOnlyInHttp) {
  const std::vector<RequestCase> cases = {
      {"GET / HTTP/1.1", "GET", "/", "HTTP/1.1"},
      {"POST /a b HTTP/2.0", "POST", "/a b", "HTTP/2.0"},
      {"GET /", "GET", "/", {}},
      {"OPTIONS * HTTP/1.1", "OPTIONS", "*", "HTTP/1.1"},
      {"GET http://example.com/x HTTP/1.1", "GET", "http://example.com/x", "HTTP/1.1"},
      {"CONNECT example.com:443 HTTP/1.1", "CONNECT", "example.com:443", "HTTP/1.1"},
      {R"(GET /\x22a\x22 HTTP/1.1)", "GET", "/\"a\"", "HTTP/1.1"},
      {R"(GET /\"a HTTP/1.1)", "GET", "/\"a", "HTTP/1.1"},
      {"", {}, {}, {}},
      {"-", {}, {}, {}},
      {"HELP", {}, {}, {}},
      {R"(\x16\x03\x01\x02\x00)", {}, {}, {}},
      {R"(\x16\x03 /x HTTP/1.1)", {}, {}, {}},
      {"t3 12.2.1", {}, {}, {}},
      {" / HTTP/1.1", {}, {}, {}},
      {"GET  HTTP/1.1", {}, {}, {}},
      {"SSH-2.0-Go", {}, {}, {}},
  };
  for (const RequestCase& each : cases) {
    const std::string line = with_request(each.request);
    const Rows read = read_text(line, {.format = "combined"}, {"ip", "method", "path", "protocol", "status"});
    ASSERT_EQ(read.rows.size(), 1) << each.request;
    EXPECT_EQ(read.rows[0].fields,
              (std::vector<Value>{"192.0.2.1", each.method, each.path, each.protocol, "400"}))
        << each.request;
  }
}

TEST(AccessLog, ReadsTenLinesAsNginxWritesThem) {
  std::string log;
  for (const std::string request : {R"(\x16\x03\x01\x00\xEE\x01\x00)", "", "HELP", R"(GET /\x22 HTTP/1.1)",
                                    "GET / HTTP/1.1", R"(\x00\x9C)", "-", R"(GET /a\x5C HTTP/1.1)"}) {
    log += with_request(request) + '\n';
  }
  log += with_agent(R"(q\x22uo\x5Cte\x01\xFF)") + '\n';
  log += with_agent(R"(\x22)") + '\n';
  const Rows read = read_text(log, {.format = "auto"}, {"ip", "user_agent"});
  EXPECT_EQ(read.format, "combined");
  EXPECT_EQ(read.counts.records, 10);
  EXPECT_EQ(read.counts.malformed, 0);
  for (const Row& row : read.rows) EXPECT_EQ(row.fields[0], "192.0.2.1");
  EXPECT_EQ(read.rows[8].fields[1], "q\"uo\\te\x01\xFF");
}

TEST(AccessLog, FindsTheClosingQuote) {
  const std::vector<std::pair<std::string, std::string>> agents = {
      {R"(plain)", "plain"},
      {R"()", ""},
      {R"(-)", "-"},
      {R"(a \"quoted\" b)", "a \"quoted\" b"},
      {R"(ends with \\)", "ends with \\"},
      {R"(ends with \\\")", "ends with \\\""},
      {R"(a"b)", "a\"b"},
      {R"(tab\there \x)", "tab\there \\x"},
  };
  for (const auto& [written, meant] : agents) {
    EXPECT_EQ(read_field(with_agent(written), "combined", "user_agent"), meant) << written;
    EXPECT_EQ(read_field(with_agent(written) + " 0.003", "combined", "user_agent"), meant) << written;
  }
}

TEST(AccessLog, CountsWhatIsBrokenAsMalformed) {
  const std::string usual(kUsual);
  const std::vector<std::string> broken = {
      "x",
      usual.substr(0, usual.size() - 1),
      with_agent("ends in a backslash \\"),
      with_agent("x").substr(0, 60),
      R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5)",
      R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-")",
      R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" x 5 "-" "-")",
      R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5x "-" "-")",
      R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] GET / 200 5 "-" "-")",
      R"(192.0.2.1 - - 17/May/2015:10:05:03 "GET / HTTP/1.1" 200 5 "-" "-")",
      R"(192.0.2.1 - - [31/Feb/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "-")",
      R"(192.0.2.1 - - [17/May/2015:24:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "-")",
      R"(192.0.2.1 - - [17/May/2415:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "-")",
      R"( - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "-")",
  };
  for (const std::string& line : broken) EXPECT_TRUE(is_malformed(line)) << line;
  EXPECT_FALSE(is_malformed(usual));
}

TEST(AccessLog, ReadsClientsOfEveryKind) {
  const std::vector<std::vector<Value>> cases = {
      // front, ip, ident, user
      {"192.0.2.1 - -", "192.0.2.1", {}, {}},
      {"2001:db8::1 - -", "2001:db8::1", {}, {}},
      {"::ffff:192.0.2.1 - bob", "::ffff:192.0.2.1", {}, "bob"},
      {"crawler.example.com id me", "crawler.example.com", "id", "me"},
      {"192.0.2.1 - john smith", "192.0.2.1", {}, "john smith"},
      {"192.0.2.1 - a [b] c", "192.0.2.1", {}, "a [b] c"},
      {"192.0.2.1 - ", "192.0.2.1", {}, ""},
      {"www.example.com:80 192.0.2.1 - -", "192.0.2.1", {}, {}},
      {"www.example.com:443 2001:db8::1 - bob", "2001:db8::1", {}, "bob"},
      {"www.example.com 192.0.2.1 - -", "192.0.2.1", {}, {}},
      {"www.example.com 2001:db8::1 - bob", "2001:db8::1", {}, "bob"},
      {"www.example.com bob.example.com - bob", "www.example.com", "bob.example.com", "- bob"},
      {"192.0.2.1 198.51.100.1 - bob", "192.0.2.1", "198.51.100.1", "- bob"},
      {"192.0.2.1, 10.0.0.1 - bob", "192.0.2.1", {}, "bob"},
      {"192.0.2.1, 10.0.0.1, 10.0.0.2 - -", "192.0.2.1", {}, {}},
      {"192.0.2.1:5012 - john smith", "192.0.2.1:5012", {}, "john smith"},
  };
  for (const std::vector<Value>& each : cases) {
    const Rows read = read_text(with_front(*each[0]), {.format = "combined"}, {"ip", "ident", "user"});
    ASSERT_EQ(read.rows.size(), 1) << *each[0];
    EXPECT_EQ(read.rows[0].fields, (std::vector<Value>{each[1], each[2], each[3]})) << *each[0];
  }
}

TEST(AccessLog, GivesADashOfBytesAsItStands) {
  const std::string line = R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" - - "-" "-")";
  EXPECT_EQ(read_field(line, "combined", "bytes"), "-");
  EXPECT_EQ(read_field(line, "combined", "status"), "-");
  EXPECT_EQ(read_field(line, "combined", "referer"), "-");
}

TEST(AccessLog, SeesQuotesAroundWholeLines) {
  std::string doubled = "\"";
  std::string escaped = "\"";
  for (const char c : with_agent(R"(a \"b\" c)")) {
    doubled += c == '"' ? "\"\"" : std::string(1, c);
    escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  for (const std::string& line : {doubled + '"', escaped + '"'}) {
    const Rows read = read_text(line, {.format = "combined"}, {"ip", "user_agent"});
    ASSERT_EQ(read.rows.size(), 1) << line;
    EXPECT_EQ(read.rows[0].fields, (std::vector<Value>{"192.0.2.1", "a \"b\" c"}));
    EXPECT_EQ(read.rows[0].line, line) << "the line stays as it was read";
  }
  EXPECT_TRUE(is_malformed("\""));
  EXPECT_TRUE(is_malformed("\"\""));
  EXPECT_TRUE(is_malformed("\"no quotes inside\""));
}

TEST(AccessLog, ReadsTheCommonFormat) {
  const std::string line = R"(192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.0" 200 5)";
  EXPECT_EQ(read_field(line, "common", "bytes"), "5");
  EXPECT_EQ(read_field(std::string(kUsual), "common", "bytes"), "2326") << "more at the end does no harm";
  const Result<LogStream> opened = LogStream::open_memory(line, {.format = "common"});
  ASSERT_TRUE(opened.ok());
}

TEST(AccessLog, KnowsItsFields) {
  Result<LogStream> combined = LogStream::open_memory(kUsual, {.format = "combined"});
  ASSERT_TRUE(combined.ok());
  const Result<FieldId> wrong = combined->want("sttus");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("no field \"sttus\"; did you mean \"status\"?"));
  Result<LogStream> common = LogStream::open_memory(kUsual, {.format = "common"});
  ASSERT_TRUE(common.ok());
  EXPECT_FALSE(common->want("referer").ok());
  EXPECT_TRUE(common->want("line").ok());
}

TEST(AccessTime, ReadsStampsAndTheirZones) {
  AccessTime clock;
  EXPECT_EQ(clock.parse("17/May/2015:10:05:03 +0000"), from_civil(2015, 5, 17, 10, 5, 3));
  EXPECT_EQ(clock.parse("17/May/2015:10:05:59 +0000"), from_civil(2015, 5, 17, 10, 5, 59));
  EXPECT_EQ(clock.parse("17/May/2015:10:05:59 +0130"), from_civil(2015, 5, 17, 8, 35, 59));
  EXPECT_EQ(clock.parse("17/May/2015:10:05:59 -0700"), from_civil(2015, 5, 17, 17, 5, 59));
  EXPECT_EQ(clock.parse("29/Feb/2016:00:00:00 +0000"), from_civil(2016, 2, 29, 0, 0, 0));
  EXPECT_EQ(clock.parse("30/Jun/2015:23:59:60 +0000"), from_civil(2015, 7, 1, 0, 0, 0));
  for (const std::string_view wrong :
       {"", "17/May/2015:10:05:03", "17/May/2015:10:05:61 +0000", "17/May/2015:10:05:x3 +0000",
        "17/Mai/2015:10:05:03 +0000", "29/Feb/2015:00:00:00 +0000", "17-May-2015:10:05:03 +0000",
        "17/May/2015:10:05:03 +2500", "17/May/2015:10:05:03 00000", "17/May/2015:10:05:03+00000",
        "17/May/2015:10:05:03 +0000 "}) {
    EXPECT_EQ(clock.parse(wrong), std::nullopt) << wrong;
  }
}

RC_GTEST_PROP(AccessTime, RemembersWithoutMixingUp, ()) {
  AccessTime remembering;
  const auto digits = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3));
  for (const int digit : digits) {
    const std::string d = std::to_string(digit);
    const std::string stamp = "1" + d + "/May/201" + d + ":1" + d + ":0" + d + ":0" + d + " +0" + d + "00";
    RC_ASSERT(remembering.parse(stamp) == AccessTime().parse(stamp));
  }
}

TEST(LogEscapes, AreReplaced) {
  Scratch scratch;
  EXPECT_EQ(unescape_log(R"(\x41\x4a\x4A\"\\\n\t\r\b\v\f)", scratch), "AJJ\"\\\n\t\r\b\v\f");
  EXPECT_EQ(unescape_log(R"(\q\x\x4\xg1\)", scratch), R"(\q\x\x4\xg1\)");
  EXPECT_EQ(unescape_log(R"(\x00)", scratch), std::string_view("\0", 1));
  EXPECT_EQ(unescape_log("", scratch), "");
}

}  // namespace
}  // namespace weir
