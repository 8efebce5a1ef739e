#include "weir/policy/policy.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const HashSecret kSecret = HashSecret::fixed(1);

Policy policy_of(std::string_view rules, std::string_view settings = "") {
  auto policy = Policy::parse("domain: test\n" + std::string(settings) + "rules:\n" + std::string(rules));
  if (!policy) throw std::runtime_error(policy.error().message);
  return *std::move(policy);
}

struct Answer {
  std::vector<std::string> rules;
  std::vector<std::string> limits;
  std::vector<std::string> keys;
  std::vector<std::uint64_t> buckets;
  std::vector<std::string> skipped;
  std::string unlimited_by;
  bool any_missing = false;
};

Answer ask(const Policy& policy, std::vector<Dimension> dimensions) {
  Matches matches;
  policy.match({dimensions}, kSecret, matches);
  Answer answer;
  for (const Match& match : matches.rules()) {
    const Rule& rule = policy.rules()[match.rule];
    answer.rules.push_back(rule.name);
    answer.limits.push_back(rule.limits[match.limit].because);
    std::string key;
    for (const std::string_view part : match.key) key += "[" + std::string(part) + "]";
    answer.keys.push_back(key);
    answer.buckets.push_back(match.bucket);
    answer.any_missing = answer.any_missing || match.missing;
  }
  for (const std::uint32_t rule : matches.skipped()) answer.skipped.push_back(policy.rules()[rule].name);
  if (matches.unlimited_by()) answer.unlimited_by = policy.rules()[*matches.unlimited_by()].name;
  return answer;
}

TEST(Policy, AllMatchingRulesApplyInTheirOrder) {
  const Policy policy = policy_of(R"(
  - {name: a, match: {endpoint: /login}, key: [ip], limit: {quota: 1, per: 1s}}
  - {name: b, match: {endpoint: /other}, key: [ip], limit: {quota: 1, per: 1s}}
  - {name: c, key: [], limit: {quota: 1, per: 1s}}
  - {name: d, match: {endpoint: "/log*", method: POST}, key: [account, ip], limit: {quota: 1, per: 1s}}
)");
  EXPECT_EQ(policy.domain(), "test");
  EXPECT_EQ(policy.charging(), Charging::all_or_nothing);
  const Answer answer = ask(
      policy, {{"ip", "192.0.2.1:99"}, {"endpoint", "/login/?x"}, {"method", "POST"}, {"account", "bob"}});
  EXPECT_THAT(answer.rules, ElementsAre("a", "c", "d"));
  EXPECT_THAT(answer.keys, ElementsAre("[192.0.2.1]", "", "[bob][192.0.2.1]"));
  EXPECT_THAT(ask(policy, {{"ip", "192.0.2.1"}, {"endpoint", "/login"}, {"method", "GET"}}).rules,
              ElementsAre("a", "c"));
  EXPECT_THAT(ask(policy, {}).rules, ElementsAre("c"));
}

TEST(Policy, ValuesOfAMatchAreNormalisedLikeThoseOfRequests) {
  const Policy policy = policy_of(R"(
  - {name: path, match: {endpoint: //Login/./%61/}, key: [], limit: {quota: 1, per: 1s}}
  - {name: wild, match: {endpoint: "//files/*/"}, key: [], limit: {quota: 2, per: 1s}}
  - {name: template, match: {endpoint: {template: "/verify/./{code}/"}}, key: [], limit: {quota: 3, per: 1s}}
  - {name: name, match: {account: " ADMIN "}, key: [], limit: {quota: 4, per: 1s}}
  - {name: names, match: {account: "Ａ*z"}, key: [], limit: {quota: 5, per: 1s}}
)",
                                  "normalize: {account: [trim, casefold, nfkc]}\n");
  EXPECT_THAT(ask(policy, {{"endpoint", "/Login/a"}}).rules, ElementsAre("path"));
  EXPECT_THAT(ask(policy, {{"endpoint", "/login/a"}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"endpoint", "/files/x/y"}}).rules, ElementsAre("wild"));
  EXPECT_THAT(ask(policy, {{"endpoint", "/verify/9?x"}}).rules, ElementsAre("template"));
  EXPECT_THAT(ask(policy, {{"account", "ａdmin\n"}}).rules, ElementsAre("name"));
  EXPECT_THAT(ask(policy, {{"account", "A--Z"}}).rules, ElementsAre("names"));
}

TEST(Policy, AStarIsWrittenAsExact) {
  const Policy policy = policy_of(R"(
  - {name: star, match: {account: {exact: "a*b"}}, key: [], limit: {quota: 1, per: 1s}}
  - {name: list, match: {account: [x, "y*", {exact: "z*"}]}, key: [], limit: {quota: 2, per: 1s}}
  - {name: any, match: {ip: "*"}, key: [], limit: {quota: 3, per: 1s}}
  - {name: odd, match: {ip: {exact: unknown}}, key: [], limit: {quota: 4, per: 1s}}
  - {name: number, match: {account: 42}, key: [], limit: {quota: 5, per: 1s}}
)");
  EXPECT_THAT(ask(policy, {{"account", "a*b"}}).rules, ElementsAre("star"));
  EXPECT_THAT(ask(policy, {{"account", "a-b"}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"account", "yes"}}).rules, ElementsAre("list"));
  EXPECT_THAT(ask(policy, {{"account", "z*"}}).rules, ElementsAre("list"));
  EXPECT_THAT(ask(policy, {{"account", "zz"}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"ip", "::1"}}).rules, ElementsAre("any"));
  EXPECT_THAT(ask(policy, {{"ip", "unknown"}}).rules, ElementsAre("any", "odd"));
  EXPECT_THAT(ask(policy, {{"ip", ""}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"account", "42"}}).rules, ElementsAre("number"));
}

TEST(Policy, AddressesMatchByPrefixBeforeTheyAreCut) {
  const Policy policy = policy_of(R"(
  - {name: narrow, match: {ip: "2001:db8:1:2:3::/80"}, key: [ip], limit: {quota: 1, per: 1s}}
  - {name: one, match: {ip: "2001:db8:1:2::9"}, key: [ip], limit: {quota: 2, per: 1s}}
  - {name: cafe, match: {ip: 203.0.113.0/24}, key: [ip], limit: {quota: 3, per: 1s}}
  - {name: client, match: {client: 203.0.113.7}, key: [client], limit: {quota: 4, per: 1s}}
)",
                                  "normalize: {ip: {prefix6: 48}, client: ip}\n");
  Answer answer = ask(policy, {{"ip", "[2001:db8:1:2:3:4:5:6]:443"}});
  EXPECT_THAT(answer.rules, ElementsAre("narrow"));
  EXPECT_THAT(answer.keys, ElementsAre("[2001:db8:1::]"));
  EXPECT_THAT(ask(policy, {{"ip", "2001:db8:1:2:4::1"}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"ip", "2001:db8:1:2::9"}}).rules, ElementsAre("one"));
  EXPECT_THAT(ask(policy, {{"ip", "2001:db8:1:2::a"}}).rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"ip", "::ffff:203.0.113.9"}}).rules, ElementsAre("cafe"));
  EXPECT_THAT(ask(policy, {{"ip", "203.0.114.0"}}).rules, IsEmpty());
  answer = ask(policy, {{"client", "64:ff9b::203.0.113.7"}});
  EXPECT_THAT(answer.keys, ElementsAre("[203.0.113.7]"));
}

// B33
TEST(Policy, AMissingKeySkipsSharesOrDenies) {
  const Policy policy = policy_of(R"(
  - {name: skip, key: [account], limit: {quota: 1, per: 1s}}
  - {name: shared, key: [account], on_missing: shared, limit: {quota: 2, per: 1s}}
  - {name: deny, key: [account], on_missing: deny, limit: {quota: 3, per: 1s}}
)");
  const Answer missing = ask(policy, {{"ip", "::1"}});
  EXPECT_THAT(missing.rules, ElementsAre("shared", "deny"));
  EXPECT_THAT(missing.skipped, ElementsAre("skip"));
  EXPECT_TRUE(missing.any_missing);
  EXPECT_THAT(missing.keys, ElementsAre("[]", "[]"));
  // An empty value is a missing one, and all that lack it share a bucket.
  EXPECT_EQ(ask(policy, {{"account", ""}}).buckets, missing.buckets);
  EXPECT_THAT(ask(policy, {{"account", "one"}}).rules, ElementsAre("skip", "shared", "deny"));
  EXPECT_FALSE(ask(policy, {{"account", "one"}}).any_missing);
  EXPECT_THAT(ask(policy, {{"account", "one"}}).skipped, IsEmpty());
}

TEST(Policy, ANameGivenTwiceCountsAsItsFirst) {
  const Policy policy =
      policy_of("  - {name: a, key: [account], on_missing: shared, limit: {quota: 1, per: 1s}}\n");
  EXPECT_THAT(ask(policy, {{"account", "x"}, {"account", "y"}}).keys, ElementsAre("[x]"));
  EXPECT_THAT(ask(policy, {{"account", ""}, {"account", "y"}}).keys, ElementsAre("[]"));
}

// B34
TEST(Policy, LongKeysAreHashedNotCut) {
  const Policy policy = policy_of("  - {name: a, key: [account], limit: {quota: 1, per: 1s}}\n");
  std::string a(64 << 10, 'x');
  std::string b = a;
  b.back() = 'y';
  EXPECT_NE(ask(policy, {{"account", a}}).buckets, ask(policy, {{"account", b}}).buckets);
  EXPECT_EQ(ask(policy, {{"account", a}}).buckets, ask(policy, {{"account", std::string(a)}}).buckets);
  EXPECT_EQ(ask(policy, {{"account", a}}).keys[0].size(), a.size() + 2);
}

// B38
TEST(Policy, OneAccountHoweverSpelledIsOneBucket) {
  const Policy policy = policy_of("  - {name: a, key: [account], limit: {quota: 5, per: 1m}}\n",
                                  "normalize: {account: [trim, casefold, nfkc]}\n");
  std::set<std::uint64_t> buckets;
  for (const char* name :
       {"admin@x.org", " admin@x.org", "ADMIN@x.org", "\tadmin@x.org", "admin@x.org\n", "ａdmin@x.org"}) {
    buckets.insert(ask(policy, {{"account", name}}).buckets.at(0));
  }
  EXPECT_EQ(buckets.size(), 1U);
  buckets.insert(ask(policy, {{"account", std::string_view("admin@x.org\0", 12)}}).buckets.at(0));
  buckets.insert(ask(policy, {{"account", "admin@x.org\xff"}}).buckets.at(0));
  EXPECT_EQ(buckets.size(), 3U);
  // Blanks are nothing once they are trimmed.
  EXPECT_THAT(ask(policy, {{"account", " \t"}}).skipped, ElementsAre("a"));
}

TEST(Policy, KeysNeverCollide) {
  const Policy policy = policy_of(R"(
  - {name: pair, key: [a, b], on_missing: shared, limit: {quota: 1, per: 1s}}
  - {name: "pai", key: [a, b], on_missing: shared, limit: {quota: 2, per: 1s}}
)");
  std::map<std::uint64_t, std::string> seen;
  const std::vector<std::string> values{
      "", "a", "b", "_", "a_", "_b", "a_b", "b_c", std::string("\0", 1), std::string("a\0", 2), "\1", "\1a"};
  for (const std::string& a : values) {
    for (const std::string& b : values) {
      const Answer answer = ask(policy, {{"a", a}, {"b", b}});
      for (std::size_t i = 0; i < answer.buckets.size(); ++i) {
        const std::string identity = answer.rules[i] + "|" + a + "|" + b;
        EXPECT_TRUE(seen.emplace(answer.buckets[i], identity).second) << identity;
      }
    }
  }
  EXPECT_EQ(seen.size(), 2 * values.size() * values.size());
}

// B48
TEST(Policy, TheMostSpecificOverrideWins) {
  const Policy policy = policy_of(R"(
  - name: r
    key: []
    limit: {quota: 1, per: 1s}
    overrides:
      - {match: {endpoint: [/a/b/c, /z]}, limit: {quota: 2, per: 1s}}
      - {match: {endpoint: "/a/*"}, limit: {quota: 3, per: 1s}}
      - {match: {endpoint: "/a/b/*"}, limit: {quota: 4, per: 1s}}
      - {match: {endpoint: /a/b/x}, limit: {quota: 5, per: 1s}}
      - {match: {endpoint: [/z, /y]}, limit: {quota: 6, per: 1s}}
      - {match: {ip: 10.0.0.0/8}, limit: {quota: 7, per: 1s}}
      - {match: {ip: 10.1.0.0/16}, limit: {quota: 8, per: 1s}}
      - {match: {ip: 10.1.0.1}, limit: {quota: 9, per: 1s}}
      - {match: {ip: 10.1.0.0/16, endpoint: /a/b/x}, limit: {quota: 10, per: 1s}}
      - {match: {account: "ab*"}, limit: {quota: 11, per: 1s}}
      - {match: {account: "*bc"}, limit: {quota: 12, per: 1s}}
)");
  const auto quota = [&](std::vector<Dimension> dimensions) {
    Matches matches;
    policy.match({dimensions}, kSecret, matches);
    return policy.rules()[0].limits[matches.rules()[0].limit].limit.quota;
  };
  EXPECT_EQ(quota({{"endpoint", "/q"}}), 1U);
  EXPECT_EQ(quota({{"endpoint", "/z"}}), 2U);  // both lists: the first in the file
  EXPECT_EQ(quota({{"endpoint", "/y"}}), 6U);
  EXPECT_EQ(quota({{"endpoint", "/a/q"}}), 3U);
  EXPECT_EQ(quota({{"endpoint", "/a/b/c"}}), 4U);  // a pattern before a list
  EXPECT_EQ(quota({{"endpoint", "/a/b/x"}}), 5U);
  EXPECT_EQ(quota({{"ip", "10.2.0.1"}}), 7U);
  EXPECT_EQ(quota({{"ip", "10.1.0.2"}}), 8U);
  EXPECT_EQ(quota({{"ip", "10.1.0.1"}}), 9U);
  EXPECT_EQ(quota({{"ip", "10.1.0.1"}, {"endpoint", "/a/b/x"}}),
            10U);                                                      // exact and prefix, before exact alone
  EXPECT_EQ(quota({{"ip", "10.2.0.1"}, {"endpoint", "/a/b/c"}}), 4U);  // 40 bits of path, 8 of address
  EXPECT_EQ(quota({{"account", "abc"}}), 11U);                         // equally long: the first in the file
}

// B48
TEST(Policy, AWildcardInAMatchMakesNoBucketPerValue) {
  const Policy policy = policy_of(R"(
  - {name: each, match: {endpoint: "files/*"}, key: [endpoint], limit: {quota: 100, per: 1h}}
  - {name: all, match: {endpoint: "files/*"}, key: [], limit: {quota: 100, per: 1h}}
)");
  const Answer a = ask(policy, {{"endpoint", "files/a"}});
  const Answer b = ask(policy, {{"endpoint", "files/b"}});
  EXPECT_NE(a.buckets[0], b.buckets[0]);
  EXPECT_EQ(a.buckets[1], b.buckets[1]);
}

// B48, B31
TEST(Policy, UnlimitedIsSaidInAWordAndWins) {
  const Policy policy = policy_of(R"(
  - {name: closed, key: [account], limit: {quota: 0, per: 1s}}
  - {name: office, match: {ip: 192.0.2.0/24}, unlimited: true}
  - name: api
    key: [account]
    on_missing: deny
    limit: {quota: 1, per: 1s}
    overrides: [{match: {plan: internal}, unlimited: true}]
)");
  Answer answer = ask(policy, {{"ip", "192.0.2.9"}, {"account", "x"}});
  EXPECT_EQ(answer.unlimited_by, "office");
  EXPECT_THAT(answer.rules, IsEmpty());
  EXPECT_THAT(ask(policy, {{"ip", "192.0.3.9"}, {"account", "x"}}).rules, ElementsAre("closed", "api"));
  EXPECT_EQ(policy.rules()[0].limits[0].limit.quota, 0U);
  EXPECT_FALSE(policy.rules()[0].limits[0].unlimited);
  // An unlimited override holds nobody back, not even for a missing key.
  Matches matches;
  const std::vector<Dimension> internal{{"plan", "internal"}};
  policy.match({internal}, kSecret, matches);
  ASSERT_EQ(matches.rules().size(), 1U);
  EXPECT_TRUE(policy.rules()[2].limits[matches.rules()[0].limit].unlimited);
  EXPECT_FALSE(matches.rules()[0].missing);
}

TEST(Policy, MatchesCanBeUsedForOnePolicyAfterAnother) {
  const Policy big =
      policy_of("  - {name: a, match: {x: '1', y: '2'}, key: [z], limit: {quota: 1, per: 1s}}\n");
  const Policy small = policy_of("  - {name: b, match: {z: '3'}, key: [], limit: {quota: 1, per: 1s}}\n");
  Matches matches;
  const std::vector<Dimension> all{{"x", "1"}, {"y", "2"}, {"z", "3"}};
  const std::vector<Dimension> none;
  for (int i = 0; i < 2; ++i) {
    big.match({all}, kSecret, matches);
    EXPECT_EQ(matches.rules().size(), 1U);
    small.match({none}, kSecret, matches);
    EXPECT_EQ(matches.rules().size(), 0U);
    small.match({all}, kSecret, matches);
    EXPECT_EQ(matches.rules().size(), 1U);
    big.match({none}, kSecret, matches);
    EXPECT_EQ(matches.rules().size(), 0U);
  }
}

std::string bucket_name(std::string_view rule) {
  return policy_of("  - " + std::string(rule) + "\n").rules()[0].limits.back().bucket_name;
}

TEST(Policy, BucketsOutliveWhatDoesNotChangeTheirMeaning) {
  const std::string name = bucket_name("{name: a, key: [x], limit: {quota: 1, per: 1m}}");
  for (const char* same :
       {"{name: a, key: [x], limit: {quota: 2, per: 60s, burst: 9}}",
        "{name: a, match: {y: '1'}, key: [x], limit: {quota: 1, per: 1m}, cost: 3}",
        "{name: b, count_as: a, key: [x], limit: {quota: 1, per: 1m}}",
        "{name: a, key: [x], limit: {algorithm: token_bucket, quota: 1, per: 1m}, align: epoch}"}) {
    EXPECT_EQ(bucket_name(same), name) << same;
  }
  for (const char* other :
       {"{name: b, key: [x], limit: {quota: 1, per: 1m}}", "{name: a, key: [y], limit: {quota: 1, per: 1m}}",
        "{name: a, key: [x, y], limit: {quota: 1, per: 1m}}",
        "{name: a, key: [], limit: {quota: 1, per: 1m}}", "{name: a, key: [x], limit: {quota: 1, per: 2m}}",
        "{name: a, key: [x], limit: {algorithm: gcra, quota: 1, per: 1m}}",
        "{name: a, key: [x], limit: {quota: 1, per: 1m}, overrides: [{match: {p: q}, limit: {quota: 1, per: "
        "1m}}]}",
        "{name: a, count_as: c, key: [x], limit: {quota: 1, per: 1m}}"}) {
    EXPECT_NE(bucket_name(other), name) << other;
  }
  EXPECT_NE(bucket_name("{name: a, key: [], limit: {algorithm: fixed_window, quota: 1, per: 1d}}"),
            bucket_name("{name: a, key: [], limit: {algorithm: fixed_window, quota: 1, per: 1 day}}"));
  EXPECT_NE(
      bucket_name("{name: a, key: [], limit: {algorithm: fixed_window, quota: 1, per: 1d}}"),
      bucket_name("{name: a, key: [], align: key, limit: {algorithm: fixed_window, quota: 1, per: 1d}}"));
}

TEST(Policy, OverridesKeepTheirBucketsInAnyOrder) {
  const auto buckets = [](std::string_view overrides) {
    const Policy policy = policy_of("  - {name: a, key: [x], limit: {quota: 1, per: 1m}, overrides: [" +
                                    std::string(overrides) + "]}\n");
    return std::make_pair(ask(policy, {{"x", "1"}, {"plan", "p"}}).buckets,
                          ask(policy, {{"x", "1"}, {"plan", "q"}}).buckets);
  };
  EXPECT_EQ(buckets("{match: {plan: [p, r]}, limit: {quota: 2, per: 1m}}, {match: {plan: q}, limit: {quota: "
                    "3, per: 1m}}"),
            buckets("{match: {plan: q}, limit: {quota: 4, per: 1m}}, {match: {plan: [r, p]}, limit: {quota: "
                    "5, per: 1m}}"));
}

TEST(Policy, CountAsSharesBuckets) {
  const Policy policy = policy_of(R"(
  - {name: read, match: {m: GET}, key: [ip], count_as: traffic, limit: {quota: 5, per: 1s}}
  - {name: write, match: {m: POST}, key: [ip], count_as: traffic, cost: 10, limit: {quota: 5, per: 1s}}
)");
  EXPECT_EQ(ask(policy, {{"m", "GET"}, {"ip", "::1"}}).buckets,
            ask(policy, {{"m", "POST"}, {"ip", "::1"}}).buckets);
  EXPECT_EQ(policy.rules()[1].cost, 10U);
}

TEST(Policy, FieldsOfARule) {
  const Policy policy = policy_of(R"(
  - {name: plain, key: [a], limit: {quota: 5, per: 10s, burst: 10}}
  - name: full
    key: [a, b]
    limit: {algorithm: leaky_bucket, quota: 5, per: 500ms, burst: 0}
    action: delay
    cost: 3
    charge_denied: true
    on_missing: deny
    on_full: allow
    on_store_error: local
  - {name: aligned, key: [a], align: key, limit: {algorithm: fixed_window, quota: 1, per: 1h}}
  - {name: log, key: [a], action: shadow, on_store_error: deny, limit: {algorithm: sliding_log, quota: 1000000, per: 7d}}
)",
                                  "charging: each\n");
  EXPECT_EQ(policy.charging(), Charging::each);
  const Rule& plain = policy.rules()[0];
  EXPECT_EQ(plain.limits[0].limit, (Limit{.quota = 5, .per = 10 * kSecond, .burst = 10}));
  EXPECT_EQ(plain.action, Action::deny);
  EXPECT_EQ(plain.on_missing, OnMissing::skip);
  EXPECT_EQ(plain.on_full, OnFull::deny);
  EXPECT_EQ(plain.on_store_error, OnStoreError::allow);
  const Rule& full = policy.rules()[1];
  EXPECT_THAT(full.key, ElementsAre("a", "b"));
  EXPECT_EQ(full.action, Action::delay);
  EXPECT_EQ(full.cost, 3U);
  EXPECT_TRUE(full.charge_denied);
  EXPECT_EQ(full.on_missing, OnMissing::deny);
  EXPECT_EQ(full.on_full, OnFull::allow);
  EXPECT_EQ(full.on_store_error, OnStoreError::local);
  EXPECT_EQ(policy.rules()[2].limits[0].limit.align, Align::key);
  EXPECT_EQ(policy.rules()[3].action, Action::shadow);
  EXPECT_EQ(policy.rules()[3].on_store_error, OnStoreError::deny);
}

TEST(Policy, CalendarPeriodsFollowTheTimezone) {
  const Policy policy =
      policy_of("  - {name: a, key: [], limit: {algorithm: fixed_window, quota: 10, per: 1 day}}\n",
                "timezone: Asia/Seoul\nreset_at: '05:00'\n");
  const auto& per = std::get<Calendar>(policy.rules()[0].limits[0].limit.per);
  EXPECT_EQ(per.at(*parse_rfc3339("2026-02-10T19:59:59Z")).end, *parse_rfc3339("2026-02-10T20:00:00Z"));
}

// A11, A25, A26
TEST(Policy, LargeNumbersAreHonouredOrRefused) {
  const Policy policy = policy_of(R"(
  - {name: budget, key: [], limit: {algorithm: fixed_window, quota: 30000000000, per: 1 month}}
  - {name: year, key: [], limit: {algorithm: fixed_window, quota: 5, per: 365d}}
  - {name: daily, key: [], limit: {quota: 1, per: 1d, burst: 53375}}
)");
  EXPECT_EQ(policy.rules()[0].limits[0].limit.quota, 30'000'000'000U);
  EXPECT_EQ(std::get<Nanos>(policy.rules()[1].limits[0].limit.per), 365 * kDay);
  EXPECT_EQ(policy.rules()[2].limits[0].limit.burst, 53375U);
}

class ClientAddress : public testing::Test {
 protected:
  std::string client(std::string_view peer, std::vector<std::string_view> lines) const {
    return policy_.client_address(peer, lines);
  }
  Policy policy_ = policy_of("  []\n", "trusted_proxies: [10.0.0.0/8, '2001:db8:aaaa::/48', 192.0.2.1]\n");
};

// B37
TEST_F(ClientAddress, IsTheRightmostThatIsNotTrusted) {
  for (int n = 1; n <= 100; ++n) {
    EXPECT_EQ(client("10.0.0.5", {"1.2.3." + std::to_string(n) + ", 203.0.113.9"}), "203.0.113.9");
  }
  EXPECT_EQ(client("10.0.0.5:1234", {"203.0.113.9"}), "203.0.113.9");
  EXPECT_EQ(client("::ffff:10.0.0.5", {"203.0.113.9"}), "203.0.113.9");
  EXPECT_EQ(client("[2001:db8:aaaa::1]:80", {"2001:DB8::1"}), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9, 10.0.0.7, 192.0.2.1"}), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.5", {"unknown, , 203.0.113.9:5566"}), "203.0.113.9");
  // Two lines are joined in order.
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9", "10.0.0.7"}), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.8", "203.0.113.9"}), "203.0.113.9");
}

TEST_F(ClientAddress, OfAnUntrustedPeerIsThePeer) {
  EXPECT_EQ(client("203.0.113.1", {"198.51.100.1"}), "203.0.113.1");
  EXPECT_EQ(client("11.0.0.5", {"198.51.100.1"}), "11.0.0.5");
  EXPECT_EQ(client("192.0.2.2", {"198.51.100.1"}), "192.0.2.2");
  EXPECT_EQ(client("unix:", {"198.51.100.1"}), "unix:");
  EXPECT_EQ(policy_of("  []\n").client_address("10.0.0.5", std::vector<std::string_view>{"198.51.100.1"}),
            "10.0.0.5");
}

TEST_F(ClientAddress, EndsAtGarbageAndAtTheLeft) {
  EXPECT_EQ(client("10.0.0.5", {"10.0.0.1, 10.0.0.2"}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9, unknown, 10.0.0.7"}), "10.0.0.7");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9, unknown"}), "10.0.0.5");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9, , 10.0.0.7, "}), "203.0.113.9");
  EXPECT_EQ(client("10.0.0.5", {""}), "10.0.0.5");
  EXPECT_EQ(client("10.0.0.5", {}), "10.0.0.5");
  EXPECT_EQ(client("10.0.0.5", {"203.0.113.9", "unknown"}), "10.0.0.5");
}

}  // namespace
}  // namespace weir
