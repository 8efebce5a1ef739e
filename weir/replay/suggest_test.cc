#include "weir/replay/suggest.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/random.h"
#include "weir/replay/limit_text.h"
#include "weir/replay/test_logs.h"

namespace weir {
namespace {

std::shared_ptr<const Policy> by_ip() {
  return *policy_of(Limit{.quota = 1}, {"ip"});
}

SuggestReport suggestions_of(const std::string& log, Share touch) {
  InputOptions patient;
  patient.lateness = 365 * kDay;
  ReplayInput input = input_from(log, {"ip"}, patient);
  auto event = input.next();
  Suggest suggest(by_ip(), input.frame());
  for (; event && *event; event = input.next()) suggest.add(**event);
  return suggest.report(touch, 10);
}

/// Replays the log under one limit.
ReplayReport under(Limit limit, const std::string& log) {
  std::string yaml;
  JsonWriter json(yaml);
  write_limit(json, limit);
  return replay_of("domain: t\nrules:\n  - {name: r, key: [ip], limit: " + yaml + "}\n", log, {"ip"});
}

TEST(Suggest, finds_the_smallest_limit_and_shows_whom_it_touches) {
  std::string log = "time,ip\n";
  for (int key = 1; key <= 9; ++key) log += "0,192.0.2." + std::to_string(key) + '\n';
  for (int i = 0; i < 50; ++i) log += std::to_string(i * 2) + ",198.51.100.1\n";
  const SuggestReport report = suggestions_of(log, *parse_share("10%"));
  EXPECT_EQ(report.keys, 10U);
  EXPECT_EQ(report.may_touch, 1U);
  EXPECT_EQ(report.requests, 59U);
  ASSERT_FALSE(report.suggestions.empty());
  for (const Suggestion& one : report.suggestions) EXPECT_EQ(one.limit.quota, 1U) << describe(one.limit);
  const SuggestReport nobody = suggestions_of(log, *parse_share("0"));
  for (const Suggestion& one : nobody.suggestions) {
    EXPECT_EQ(one.keys_touched, 0U);
    EXPECT_EQ(one.denied, 0U);
  }
}

// A replay of each limit found must touch no more than allowed, as the evidence says; one less must touch
// more.
TEST(Suggest, agrees_with_replays_of_what_it_found) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 10; ++round) {
    std::string log = "time,ip,cost\n";
    Nanos now = 0;
    for (int i = 0; i < 300; ++i) {
      now += static_cast<Nanos>(test::draw(random, 0, round < 5 ? 40'000'000'000 : 900'000'000));
      const std::uint64_t ip = test::draw(random, 1, test::draw(random, 1, 30));
      std::string time;
      append_seconds(time, now);
      log += time + ",192.0.2." + std::to_string(ip) + ',' + std::to_string(test::draw(random, 0, 3)) + '\n';
    }
    const SuggestReport report = suggestions_of(log, *parse_share("10%"));
    ASSERT_FALSE(report.suggestions.empty());
    for (const Suggestion& one : report.suggestions) {
      const ReplayReport found = under(one.limit, log);
      EXPECT_EQ(found.rules[0].keys_denied, one.keys_touched) << describe(one.limit);
      EXPECT_EQ(found.denied, one.denied) << describe(one.limit);
      EXPECT_LE(one.keys_touched, report.may_touch);
      if (one.limit.quota == 1) continue;
      Limit smaller = one.limit;
      --smaller.quota;
      EXPECT_GT(under(smaller, log).rules[0].keys_denied, report.may_touch) << describe(smaller);
    }
  }
}

TEST(Suggest, weighs_repeated_messages_and_counts_the_keyless) {
  Suggest suggest(by_ip(), TimeFrame{});
  const Dimension ip{"ip", "192.0.2.1"};
  suggest.add(Event{.time = 0, .dimensions = std::span(&ip, 1), .weight = 1000});
  suggest.add(Event{.time = 5 * kSecond, .dimensions = std::span(&ip, 1), .weight = 1});
  suggest.add(Event{.time = 5 * kSecond, .weight = 3});
  const SuggestReport report = suggest.report(Share{0}, 10);
  EXPECT_EQ(report.requests, 1001U);
  EXPECT_EQ(report.keyless, 3U);
  ASSERT_FALSE(report.suggestions.empty());
  EXPECT_EQ(report.suggestions[0].limit.quota, 1000U);
}

TEST(Suggest, has_nothing_to_say_of_nothing) {
  const SuggestReport report = Suggest(by_ip(), TimeFrame{}).report(Share{0}, 10);
  EXPECT_EQ(report.keys, 0U);
  EXPECT_TRUE(report.suggestions.empty());
}

TEST(Share, is_read_exactly) {
  EXPECT_EQ(parse_share("0.1%")->billionths, 1'000'000U);
  EXPECT_EQ(parse_share("0.001")->billionths, 1'000'000U);
  EXPECT_EQ(parse_share("100%")->billionths, 1'000'000'000U);
  EXPECT_EQ(parse_share("1")->billionths, 1'000'000'000U);
  EXPECT_EQ(parse_share("0")->billionths, 0U);
  for (const std::string_view bad : {"", "%", "101%", "1.1", "-1%", "x", "1e-3", "0,1%"}) {
    EXPECT_FALSE(parse_share(bad)) << bad;
  }
}

}  // namespace
}  // namespace weir
