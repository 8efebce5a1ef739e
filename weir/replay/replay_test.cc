#include "weir/replay/replay.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/random.h"
#include "weir/replay/test_logs.h"

namespace weir {
namespace {

std::string repeat(const std::string& line, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += line;
  return out;
}

const std::string kEdge = "time,ip\n" + repeat("59.9,192.0.2.1\n", 60) + repeat("60.1,192.0.2.1\n", 60);

std::string one_rule(std::string_view limit, std::string_view more = "") {
  return "domain: t\nrules:\n  - name: r\n    key: [ip]\n    limit: {" + std::string(limit) + "}\n" +
         std::string(more);
}

TEST(Replay, shows_the_double_rate_across_the_edge_of_a_fixed_window) {
  const ReplayReport report =
      replay_of(one_rule("algorithm: fixed_window, quota: 60, per: 60s"), kEdge, {"ip"});
  EXPECT_EQ(report.requests, 120U);
  EXPECT_EQ(report.admitted, 120U);
  EXPECT_EQ(report.denied, 0U);
  ASSERT_TRUE(report.rules[0].worst);
  EXPECT_EQ(report.rules[0].worst->count, 120U);
  EXPECT_EQ(report.rules[0].worst->key, BucketKey{"192.0.2.1"});
  EXPECT_EQ(report.rules[0].worst->from, 100 * kMillisecond);
  EXPECT_EQ(report.rules[0].worst->to, kMinute + 100 * kMillisecond);
}

TEST(Replay, shows_that_a_sliding_log_has_no_edge) {
  const ReplayReport report =
      replay_of(one_rule("algorithm: sliding_log, quota: 60, per: 60s"), kEdge, {"ip"});
  EXPECT_EQ(report.admitted, 60U);
  EXPECT_EQ(report.denied, 60U);
  EXPECT_EQ(report.rules[0].worst->count, 60U);
  EXPECT_EQ(report.rules[0].keys, 1U);
  EXPECT_EQ(report.rules[0].keys_denied, 1U);
  ASSERT_EQ(report.top_denied.size(), 1U);
  EXPECT_EQ(report.top_denied[0].who.denied, 60U);
}

TEST(Replay, counts_units_and_not_requests_in_the_worst_window) {
  const ReplayReport report = replay_of(one_rule("quota: 10, per: 10s", "    cost: 2\n"),
                                        "time,ip,cost\n0,192.0.2.1,3\n1,192.0.2.1,1\n2,192.0.2.1,\n", {"ip"});
  EXPECT_EQ(report.admitted, 3U);
  EXPECT_EQ(report.rules[0].worst->count, 10U);
}

TEST(Replay, denies_by_each_rule_that_is_violated_and_charges_all_or_none) {
  const std::string policy = R"(domain: t
rules:
  - {name: client, key: [ip], limit: {quota: 10, per: 1m}}
  - {name: pair, key: [ip, account], limit: {quota: 2, per: 1m}}
)";
  const std::string log =
      "time,ip,account\n" + repeat("0,192.0.2.1,svc1\n", 10) + repeat("0,192.0.2.1,svc4\n", 10);
  const ReplayReport report = replay_of(policy, log, {"ip", "account"});
  EXPECT_EQ(report.admitted, 4U);
  EXPECT_EQ(report.denied, 16U);
  EXPECT_EQ(report.rules[0].denied, 0U);
  EXPECT_EQ(report.rules[0].admitted, 4U);
  EXPECT_EQ(report.rules[0].worst->count, 4U);
  EXPECT_EQ(report.rules[1].denied, 16U);
  EXPECT_EQ(report.rules[1].keys, 2U);
  ASSERT_EQ(report.top_denied.size(), 2U);
  EXPECT_EQ(report.top_denied[0].who.key, (BucketKey{"192.0.2.1", "svc1"}));
  EXPECT_EQ(report.top_denied[1].who.key, (BucketKey{"192.0.2.1", "svc4"}));
}

TEST(Replay, charges_each_rule_for_itself_where_the_policy_says_so) {
  const std::string policy = R"(domain: t
charging: each
rules:
  - {name: client, key: [ip], limit: {quota: 10, per: 1m}}
  - {name: pair, key: [ip, account], limit: {quota: 2, per: 1m}}
)";
  const std::string log =
      "time,ip,account\n" + repeat("0,192.0.2.1,svc1\n", 10) + repeat("0,192.0.2.1,svc4\n", 10);
  const ReplayReport report = replay_of(policy, log, {"ip", "account"});
  EXPECT_EQ(report.admitted, 2U);
  EXPECT_EQ(report.rules[0].admitted, 10U);
  EXPECT_EQ(report.rules[0].denied, 10U);
}

TEST(Replay, reports_a_shadow_but_not_in_the_outcome) {
  const ReplayReport report = replay_of(
      one_rule("algorithm: sliding_log, quota: 60, per: 60s", "    action: shadow\n"), kEdge, {"ip"});
  EXPECT_EQ(report.admitted, 120U);
  EXPECT_EQ(report.denied, 0U);
  EXPECT_TRUE(report.top_denied.empty());
  EXPECT_TRUE(report.rules[0].shadow);
  EXPECT_EQ(report.rules[0].admitted, 60U);
  EXPECT_EQ(report.rules[0].denied, 60U);
  ASSERT_EQ(report.rules[0].top_denied.size(), 1U);
}

TEST(Replay, counts_the_delayed) {
  const ReplayReport report =
      replay_of(one_rule("algorithm: leaky_bucket, quota: 2, per: 20s, burst: 4", "    action: delay\n"),
                "time,ip\n" + repeat("0,192.0.2.1\n", 6), {"ip"});
  EXPECT_EQ(report.admitted, 5U);
  EXPECT_EQ(report.denied, 1U);
  EXPECT_EQ(report.delayed, 4U);
  EXPECT_EQ(report.rules[0].delayed, 4U);
}

TEST(Replay, counts_who_meets_no_rule_or_lacks_the_key_or_is_unlimited) {
  const std::string policy = R"(domain: t
rules:
  - {name: login, match: {endpoint: /login}, key: [account], limit: {quota: 1, per: 1m}}
  - {name: office, match: {ip: 192.0.2.0/24}, unlimited: true}
)";
  const ReplayReport report = replay_of(policy,
                                        "time,ip,endpoint,account\n"
                                        "0,198.51.100.1,/,a\n"
                                        "0,198.51.100.1,/login,\n"
                                        "0,192.0.2.7,/login,a\n",
                                        {"ip", "endpoint", "account"});
  EXPECT_EQ(report.admitted, 3U);
  EXPECT_EQ(report.unmatched, 2U);
  EXPECT_EQ(report.lifted, 1U);
  EXPECT_EQ(report.rules[0].skipped, 1U);
  EXPECT_EQ(report.rules[0].requests, 0U);
  EXPECT_EQ(report.rules[1].requests, 1U);
  EXPECT_FALSE(report.rules[1].worst);
}

TEST(Replay, denies_those_without_a_key_where_the_rule_says_so) {
  const ReplayReport report = replay_of(one_rule("quota: 1, per: 1m", "    on_missing: deny\n"),
                                        "time,ip\n0,\n0,192.0.2.1\n1,\n", {"ip"});
  EXPECT_EQ(report.denied, 2U);
  EXPECT_EQ(report.rules[0].denied, 2U);
  EXPECT_EQ(report.rules[0].keys, 1U);
  EXPECT_EQ(report.top_denied[0].who.key, BucketKey{""});
}

TEST(Replay, says_so_when_the_store_is_full) {
  std::string log = "time,ip\n";
  for (int i = 0; i < 5000; ++i)
    log += "0,10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) + "\n";
  ReplayOptions small;
  small.max_keys = 64;
  const ReplayReport report = replay_of(one_rule("quota: 2, per: 1m"), log, {"ip"}, "csv", small);
  EXPECT_GT(report.rules[0].full, 0U);
  EXPECT_EQ(report.rules[0].full, report.denied);
}

TEST(Replay, charges_a_repeated_message_one_by_one_and_fast) {
  Replay replay(policy_from(one_rule("quota: 100, per: 1m", "    charge_denied: true\n")), TimeFrame{}, {});
  const Dimension ip{"ip", "192.0.2.1"};
  replay.decide_all(Event{.time = 5, .dimensions = std::span(&ip, 1), .weight = 5});
  EXPECT_EQ(replay.report(10).admitted, 5U);
  constexpr std::uint64_t claimed = std::uint64_t{1} << 60U;
  replay.decide_all(Event{.time = 5, .dimensions = std::span(&ip, 1), .weight = claimed});
  const ReplayReport report = replay.report(10);
  EXPECT_EQ(report.requests, claimed + 5);
  EXPECT_EQ(report.admitted, 100U);
  EXPECT_EQ(report.rules[0].denied, claimed + 5 - 100);
  EXPECT_EQ(report.rules[0].worst->count, 100U);
}

TEST(Replay, lets_a_repeated_message_take_on_all_its_debt) {
  const auto policy =
      policy_from(one_rule("algorithm: sliding_log, quota: 10, per: 1m", "    charge_denied: true\n"));
  const Dimension ip{"ip", "192.0.2.1"};
  const auto events = {std::pair{Nanos{0}, 100}, std::pair{30 * kSecond, 1}, std::pair{kMinute, 10}};
  Replay at_once(policy, TimeFrame{}, {});
  Replay one_by_one(policy, TimeFrame{}, {});
  for (const auto& [time, weight] : events) {
    const Event event{
        .time = time, .dimensions = std::span(&ip, 1), .weight = static_cast<std::uint64_t>(weight)};
    at_once.decide_all(event);
    for (int i = 0; i < weight; ++i) one_by_one.decide(event);
  }
  EXPECT_EQ(at_once.report(10).admitted, 20U);
  EXPECT_EQ(one_by_one.report(10).admitted, 20U);
}

TEST(Replay, keeps_totals_without_telling_keys_apart) {
  Replay replay(policy_from(one_rule("quota: 2, per: 1m")), TimeFrame{}, ReplayOptions{.tally_keys = false});
  const Dimension ip{"ip", "192.0.2.1"};
  replay.decide_all(Event{.time = 5, .dimensions = std::span(&ip, 1), .weight = 5});
  const ReplayReport report = replay.report(10);
  EXPECT_EQ(report.rules[0].admitted, 2U);
  EXPECT_EQ(report.rules[0].denied, 3U);
  EXPECT_EQ(report.rules[0].keys, 0U);
  EXPECT_FALSE(report.rules[0].worst);
}

TEST(Replay, takes_the_span_of_a_calendar_period_for_its_worst_window) {
  const ReplayReport report =
      replay_of(one_rule("algorithm: fixed_window, quota: 1, per: 1 day"),
                "time,ip\n2024-02-29T23:59:59Z,192.0.2.1\n2024-03-01T00:00:00Z,192.0.2.1\n", {"ip"});
  EXPECT_EQ(report.admitted, 2U);
  EXPECT_EQ(report.rules[0].worst->count, 2U);
  EXPECT_EQ(report.rules[0].worst->to - report.rules[0].worst->from, kDay);
}

TEST(Replay, is_exact_before_1970) {
  const ReplayReport report =
      replay_of(one_rule("quota: 1, per: 10s"),
                "time,ip\n1950-01-01T00:00:00Z,192.0.2.1\n1950-01-01T00:00:09Z,192.0.2.1\n"
                "1950-01-01T00:00:10Z,192.0.2.1\n",
                {"ip"});
  EXPECT_EQ(report.admitted, 2U);
  EXPECT_EQ(report.denied, 1U);
}

// The whole of it against the plainest way to count a sliding log.
TEST(Replay, agrees_with_a_plain_count_on_random_logs) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string log = "time,ip\n";
    std::map<std::string, std::vector<Nanos>> admitted;
    std::map<std::string, std::uint64_t> denied;
    std::uint64_t worst = 0;
    Nanos now = 0;
    for (int i = 0; i < 200; ++i) {
      now += static_cast<Nanos>(test::draw(random, 0, 3));
      const std::string ip = "192.0.2." + std::to_string(test::draw(random, 1, 5));
      log += std::to_string(now) + ',' + ip + '\n';
      std::uint64_t used = 0;
      for (const Nanos at : admitted[ip]) used += at > now - 10 ? 1 : 0;
      if (used < 3) {
        admitted[ip].push_back(now);
        worst = std::max(worst, used + 1);
      } else {
        ++denied[ip];
      }
    }
    const ReplayReport report =
        replay_of(one_rule("algorithm: sliding_log, quota: 3, per: 10s"), log, {"ip"});
    EXPECT_EQ(report.rules[0].keys, admitted.size());
    EXPECT_EQ(report.rules[0].keys_denied, denied.size());
    EXPECT_EQ(report.rules[0].worst->count, worst);
    ASSERT_EQ(report.top_denied.size(), denied.size());
    for (const RuleKeyDenied& row : report.top_denied) EXPECT_EQ(row.who.denied, denied[row.who.key[0]]);
  }
}

}  // namespace
}  // namespace weir
