#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <simdjson.h>

#include "weir/replay/limit_text.h"
#include "weir/replay/report_json.h"
#include "weir/replay/report_text.h"
#include "weir/replay/test_logs.h"

namespace weir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPolicy = R"(domain: t
rules:
  - {name: "by\"pair", key: [ip, account], limit: {algorithm: sliding_log, quota: 1, per: 1m}}
  - {name: all, key: [], limit: {quota: 4, per: 1h}}
)";
// An account that is no UTF-8 and would steer a terminal.
const std::string kLog =
    "time,ip,account\n0,192.0.2.1,\x1b[2J\xff\n1,192.0.2.1,\x1b[2J\xff\n2,192.0.2.1,b\nbad,192.0.2.1,c\n";

ReplayReport sample() {
  return replay_of(kPolicy, kLog, {"ip", "account"});
}

std::string json_of(const ReplayReport& report, const Limit* tried = nullptr) {
  std::string out;
  JsonWriter json(out);
  write_report(json, report, tried);
  return out;
}

TEST(ReportJson, has_the_promised_fields_in_their_order) {
  const std::string json = json_of(sample());
  EXPECT_THAT(
      json,
      ::testing::StartsWith(
          "{\"records\":4,\"malformed\":1,\"requests\":3,\"admitted\":2,\"denied\":1,\"delayed\":0,"
          "\"reordered\":0,\"span\":{\"from\":\"1970-01-01T00:00:00Z\",\"to\":\"1970-01-01T00:00:02Z\"},"
          "\"rules\":[{\"name\":\"by\\\"pair\",\"admitted\":2,\"denied\":1,\"keys\":2,\"keys_denied\":1,"
          "\"worst\":{\"key\":[\"192.0.2.1\",\"\\u001b[2J\xEF\xBF\xBD\"],\"count\":1,"
          "\"window\":{\"from\":\"1969-12-31T23:59:00Z\",\"to\":\"1970-01-01T00:00:00Z\"}}"));
  EXPECT_THAT(json, HasSubstr("\"top_denied\":[{\"rule\":\"by\\\"pair\",\"key\":[\"192.0.2.1\","));
}

TEST(ReportJson, is_json) {
  const Limit tried{.quota = 1};
  for (const std::string& text : {json_of(sample()), json_of(sample(), &tried), json_of(ReplayReport{})}) {
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(text).error(), simdjson::SUCCESS) << text;
  }
}

TEST(ReportJson, writes_decisions_with_exact_seconds) {
  const auto policy = policy_from("domain: t\nrules:\n  - {name: r, key: [], limit: {quota: 3, per: 1s}}\n");
  std::string out;
  append_decision(out, 1'500'000'000, Decision{}, *policy);
  append_decision(
      out, 1,
      Decision{.allowed = false, .rule = 0, .limit = 3, .retry_after = 333'333'334, .reset_after = kSecond},
      *policy);
  append_decision(out, 2, Decision{.allowed = false, .rule = 0, .retry_after = std::nullopt}, *policy);
  EXPECT_EQ(
      out,
      "{\"time\":1.5,\"rule\":null,\"allowed\":true,\"limit\":null,\"remaining\":null,\"retry_after\":0,"
      "\"reset_after\":null}\n"
      "{\"time\":0.000000001,\"rule\":\"r\",\"allowed\":false,\"limit\":3,\"remaining\":0,"
      "\"retry_after\":0.333333334,\"reset_after\":1}\n"
      "{\"time\":0.000000002,\"rule\":\"r\",\"allowed\":false,\"limit\":0,\"remaining\":0,"
      "\"retry_after\":null,\"reset_after\":0}\n");
}

TEST(ReportText, tells_who_how_often_and_the_worst) {
  const std::string text = text_of(sample());
  EXPECT_THAT(text, HasSubstr("4 records (csv), 3 requests in 2s"));
  EXPECT_THAT(text, HasSubstr("1 malformed (25.00%)"));
  EXPECT_THAT(text, HasSubstr("admitted 2 (66.67%), denied 1 (33.33%)"));
  EXPECT_THAT(text, HasSubstr("by\"pair: 1 per 1m (sliding_log), one bucket per ip and account"));
  EXPECT_THAT(text, HasSubstr("at most 2 admitted in 1h for everybody"));
  EXPECT_THAT(text, HasSubstr("1  192.0.2.1, \\x1b[2J\\xff"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ReportText, lays_tries_side_by_side) {
  const std::string text = text_of_tries({sample(), sample()});
  EXPECT_THAT(text, HasSubstr("keys denied  worst window  most denied\n"));
  EXPECT_THAT(text, HasSubstr("1 per 1m (sliding_log)         2       1"));
}

TEST(ReportText, warns_of_what_would_mislead) {
  ReplayReport report;
  report.input.late = 3;
  report.input.lateness = 5 * kMinute;
  report.input.worst_lateness = 6 * kMinute + 1;
  report.rules.push_back({.name = "r", .limit = "", .key = {"ip"}, .skipped = 1, .full = 2000});
  const std::vector<std::string> warnings = warnings_of(report);
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_THAT(warnings[0], HasSubstr("3 records came later than the buffer of --lateness 5m"));
  EXPECT_THAT(warnings[0], HasSubstr("use --lateness 362s"));
  EXPECT_EQ(warnings[1], "rule \"r\": 1 request came without ip, so it did not apply to them");
  EXPECT_THAT(warnings[2], HasSubstr("no room for the buckets of 2,000 requests"));
  EXPECT_TRUE(warnings_of(ReplayReport{}).empty());
}

TEST(ReportText, rounds_shares_away_from_nothing_and_everything) {
  EXPECT_EQ(share_text(0, 10), "0%");
  EXPECT_EQ(share_text(1, 1'000'000), "<0.01%");
  EXPECT_EQ(share_text(999'999, 1'000'000), "99.99%");
  EXPECT_EQ(share_text(1, 3), "33.33%");
  EXPECT_EQ(share_text(2, 3), "66.67%");
  EXPECT_EQ(share_text(1, 20'000), "0.01%");
  EXPECT_EQ(share_text(99'994, 100'000), "99.99%");
  EXPECT_EQ(share_text(10, 10), "100%");
  EXPECT_EQ(share_text(0, 0), "0%");
}

TEST(ReportText, writes_durations_in_two_units) {
  EXPECT_EQ(rough_duration(0), "0s");
  EXPECT_EQ(rough_duration(90 * kSecond), "1m 30s");
  EXPECT_EQ(rough_duration(3 * kDay + 11 * kHour + kMinute), "3d 11h");
  EXPECT_EQ(rough_duration(kDay), "1d");
  EXPECT_EQ(rough_duration(1'500'000), "1ms 500us");
  EXPECT_EQ(rough_duration(7), "7ns");
}

}  // namespace
}  // namespace weir
