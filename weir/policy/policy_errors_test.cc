// What a policy refuses, and in which words. Each row's neighbour that is right is in policy_test.cc or at
// the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weir/policy/policy.h"
#include "weir/policy/yaml.h"

namespace weir {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view yaml) {
  const auto policy = Policy::parse(yaml);
  return policy ? "accepted" : policy.error().message;
}

std::string with_rule(std::string_view rule) {
  return "domain: d\nrules:\n  - {name: chat, " + std::string(rule) + "}\n";
}
std::string with_limit(std::string_view limit) {
  return with_rule("key: [a], limit: {" + std::string(limit) + "}");
}
std::string with_settings(std::string_view settings) {
  return "domain: d\n" + std::string(settings) + "\nrules: []\n";
}

struct Row {
  std::string_view written;
  std::string_view said;
};

// B47
TEST(PolicyErrors, NumbersThatAreNotPlain) {
  for (const Row& row : std::initializer_list<Row>{
           {"-5", "quota: -5 is negative; the least is 0"},
           {"1.5", "quota: 1.5 is not a whole number; write 1 or 2"},
           {"\"10\"", "quota: \"10\" is a text; write 10 without quotes"},
           {"'10'", "quota: \"10\" is a text; write 10 without quotes"},
           {"1_000", "quota: 1_000 is not a plain whole number; write 1000"},
           {"0x10", "quota: 0x10 is not a plain whole number; write 16"},
           {"1e3", "quota: 1e3 is not a plain whole number; write 1000"},
           {"+5", "quota: +5 is not a plain whole number; write 5"},
           {"010", "quota: 010 is not a plain whole number; write 10"},
           {"5.0", "quota: 5.0 is not a plain whole number; write 5"},
           {"10k", "quota: 10k is not a plain whole number; write 10000"},
           {"~",
            "quota: a whole number is needed, not an empty value (null); write it in decimal digits, such as "
            "10"},
           {"", "quota: a whole number is needed, not an empty value (null)"},
           {"NaN", "quota: a whole number is needed, not NaN"},
           {".nan", "quota: a whole number is needed, not .nan"},
           {".inf", "quota: a whole number is needed, not .inf"},
           {"ten", "quota: a whole number is needed, not ten"},
           {"true", "quota: a whole number is needed, not true"},
           {"[5]", "quota: a whole number is needed, not a list"},
           {"{a: 5}", "quota: a whole number is needed, not a map"},
           {"4611686018427387904",
            "quota: 4611686018427387904 is more than the maximum of 4611686018427387903"},
           {"99999999999999999999",
            "quota: 99999999999999999999 is more than the maximum of 4611686018427387903"}}) {
    const std::string message = refusal(with_limit("quota: " + std::string(row.written) + ", per: 1s"));
    EXPECT_THAT(message, HasSubstr("policy.yaml:3:")) << row.written;
    EXPECT_THAT(message, HasSubstr("rule \"chat\": " + std::string(row.said))) << row.written;
  }
  for (const char* good : {"0", "1", "1000", "4611686018427387903"}) {
    EXPECT_EQ(refusal(with_limit("quota: " + std::string(good) + ", per: 1s" +
                                 (good[1] == '6' ? ", algorithm: fixed_window" : ""))),
              "accepted")
        << good;
  }
}

// B47
TEST(PolicyErrors, WordsThatAreNotKnown) {
  const std::string perod =
      "domain: d\nrules:\n  - name: chat\n    key: [account]\n    limit: {quota: 5, perod: 10s}\n";
  EXPECT_EQ(refusal(perod),
            "policy.yaml:5:23: rule \"chat\": unknown field \"perod\"; did you mean \"per\"?");
  for (const Row& row : std::initializer_list<Row>{
           {"unit: minutes", "unknown field \"unit\"; did you mean \"per\"?"},
           {"window: 60", "unknown field \"window\"; did you mean \"per\"?"},
           {"Quota: 5", "unknown field \"Quota\"; did you mean \"quota\"?"},
           {"max_burst: 5", "unknown field \"max_burst\"; did you mean \"burst\"?"},
           {"xyzzy: 5", "unknown field \"xyzzy\"; known are algorithm, quota, per, burst"}}) {
    EXPECT_THAT(refusal(with_limit("quota: 5, per: 1s, " + std::string(row.written))), HasSubstr(row.said));
  }
  for (const Row& row : std::initializer_list<Row>{
           {"aktion: deny", "unknown field \"aktion\"; did you mean \"action\"?"},
           {"quota: 5", "unknown field \"quota\"; did you mean \"limit: {quota: …, per: …}\"?"},
           {"action: block", "action: unknown value \"block\"; known are deny, delay, shadow"},
           {"action: Deny", "action: unknown value \"Deny\"; did you mean \"deny\"?"},
           {"on_missing: ignore", "on_missing: unknown value \"ignore\"; known are skip, shared, deny"},
           {"on_full: deni", "on_full: unknown value \"deni\"; did you mean \"deny\"?"},
           {"on_store_error: locl", "on_store_error: unknown value \"locl\"; did you mean \"local\"?"},
           {"align: keys", "align: unknown value \"keys\"; did you mean \"key\"?"},
           {"charge_denied: yes", "charge_denied: true or false is needed, not yes"},
           {"charge_denied: \"true\"", "charge_denied: true or false is needed, not \"true\""},
           {"cost: 0", "cost: 0 is too small; the least is 1"}}) {
    EXPECT_THAT(refusal(with_rule("key: [], limit: {quota: 5, per: 1s}, " + std::string(row.written))),
                HasSubstr(row.said));
  }
  EXPECT_THAT(refusal(with_limit("algorithm: token-bucket, quota: 5, per: 1s")),
              HasSubstr("algorithm: unknown algorithm \"token-bucket\"; did you mean \"token_bucket\"?"));
  EXPECT_THAT(refusal(with_settings("timezon: UTC")),
              HasSubstr("unknown field \"timezon\"; did you mean \"timezone\"?"));
}

TEST(PolicyErrors, PeriodsAndBursts) {
  for (const Row& row : std::initializer_list<Row>{
           {"quota: 5, per: 60", "per: \"60\" is not a duration; did you mean \"60s\"?"},
           {"quota: 5, per: minute", "per: \"minute\" is not a duration; did you mean \"1m\"?"},
           {"quota: 5, per: 2 hours", "per: \"2 hours\" is not a duration; did you mean \"2h\"?"},
           {"quota: 5, per: 0s", "per: \"0s\" is not a duration; it must be longer than 0"},
           {"quota: 5, per: -1s", "per: \"-1s\" is not a duration"},
           {"quota: 5, per: 1.5s", "per: \"1.5s\" is not a duration"},
           {"quota: 5, per: 300000d",
            "per: \"300000d\" is not a duration; the longest is 106751d (292 years)"},
           {"quota: 5, per: ~", "per: a text is needed, not an empty value (null)"},
           {"quota: 5", "the limit has no per; write the period, such as per: 1m"},
           {"per: 1m", "the limit has no quota; write how many are allowed, such as quota: 10"},
           {"quota: 5, per: 1 day",
            "per: \"1 day\" is a calendar period, which only fixed_window can follow"},
           {"algorithm: fixed_window, quota: 5, per: 2 days",
            "per: \"2 days\" is not a duration; did you mean \"2d\"?"},
           {"algorithm: fixed_window, quota: 5, per: 1m, burst: 4", "burst: fixed_window has no burst"},
           {"algorithm: sliding_log, quota: 5, per: 1m, burst: 4", "burst: sliding_log has no burst"},
           {"quota: 5, per: 1m, burst: 0", "burst: 0 would admit nothing; the least is 1"},
           {"quota: 5, per: 1m, burst: ~", "burst: a whole number is needed, not an empty value (null)"},
           {"algorithm: sliding_log, quota: 1000001, per: 1m",
            "quota: 1000001 is more than the maximum of 1000000"},
           {"quota: 1, per: 1d, burst: 53376", "burst: 53376 is more than the maximum of 53375"},
           {"quota: 1, per: 1d, burst: 106752", "burst: 106752 is more than the maximum of 53375"}}) {
    EXPECT_THAT(refusal(with_limit(row.written)), HasSubstr("rule \"chat\": " + std::string(row.said)))
        << row.written;
  }
  EXPECT_EQ(refusal(with_limit("algorithm: leaky_bucket, quota: 5, per: 1m, burst: 0")), "accepted");
  EXPECT_EQ(refusal(with_limit("quota: 5, per: 1m, burst: 1")), "accepted");
  EXPECT_EQ(refusal(with_limit("algorithm: fixed_window, quota: 5, per: \"1 week\"")), "accepted");
}

TEST(PolicyErrors, RulesThatLackOrContradict) {
  for (const Row& row : std::initializer_list<Row>{
           {"limit: {quota: 5, per: 1s}", "the rule has no key"},
           {"key: []", "the rule has no limit; write limit: {quota: 10, per: 1m}, or unlimited: true"},
           {"key: account, limit: {quota: 5, per: 1s}",
            "key: a list is needed, not account; write [account]"},
           {"key: [a, a], limit: {quota: 5, per: 1s}", "key: \"a\" is named twice"},
           {"key: [\"\"], limit: {quota: 5, per: 1s}", "key: the text is empty"},
           {"key: [[a]], limit: {quota: 5, per: 1s}", "key: a text is needed, not a list"},
           {"key: [], limit: -5", "a map with algorithm, quota, per, burst is needed, not -5"},
           {"key: [], limit: {quota: 5, per: 1s}, action: delay", "action: only leaky_bucket can delay"},
           {"key: [], limit: {quota: 5, per: 1s}, align: key",
            "align: only fixed_window has windows to align"},
           {"unlimited: true, key: []", "an unlimited rule has no key; it lifts all others"},
           {"unlimited: true, limit: {quota: 5, per: 1s}",
            "an unlimited rule has no limit; it lifts all others"},
           {"unlimited: yes", "unlimited: true or false is needed, not yes"},
           {"key: [], match: {}, limit: {quota: 5, per: 1s}", "match: a map of dimensions is needed"},
           {"key: [], match: {a: ~}, limit: {quota: 5, per: 1s}",
            "match: a: a text is needed, not an empty value (null)"},
           {"key: [], match: {a: []}, limit: {quota: 5, per: 1s}", "match: a: an empty list matches nothing"},
           {"key: [], match: {a: [x, x]}, limit: {quota: 5, per: 1s}",
            "match: a: \"x\" stands at policy.yaml:3:39 already"},
           {"key: [], match: {a: {exct: x}}, limit: {quota: 5, per: 1s}",
            "unknown field \"exct\"; did you mean \"exact\"?"},
           {"key: [], match: {a: {template: 'x/{y'}}, limit: {quota: 5, per: 1s}", "a brace has no partner"},
           {"key: [], match: {a: {template: 'x/*'}}, limit: {quota: 5, per: 1s}", "a template has no stars"},
           {"key: [], match: {endpoint: '/a?b=*'}, limit: {quota: 5, per: 1s}", "\"/a?b=*\" can't match"},
           {"key: [], match: {endpoint: '/a/*/../b'}, limit: {quota: 5, per: 1s}",
            "\"/a/*/../b\" can't match"},
           {"key: [], match: {ip: 203.0.113.5/24}, limit: {quota: 5, per: 1s}",
            "the network is 203.0.113.0/24"},
           {"key: [], match: {ip: 203.0.113.555}, limit: {quota: 5, per: 1s}",
            "\"203.0.113.555\" is no address or prefix"},
           {"key: [], match: {ip: '203.0.*'}, limit: {quota: 5, per: 1s}", "addresses match by prefix"},
           {"key: [], limit: {quota: 5, per: 1s}, overrides: {}", "overrides: a list is needed, not a map"},
           {"key: [], limit: {quota: 5, per: 1s}, overrides: [{unlimited: true}]",
            "override 1: it has no match"},
           {"key: [], limit: {quota: 5, per: 1s}, overrides: [{match: {a: b}}]",
            "override 1: exactly one of limit and"},
           {"key: [], limit: {quota: 5, per: 1s}, overrides: [{match: {a: b}, limit: {quota: 5, per: 1s}, "
            "unlimited: true}]",
            "override 1: exactly one of limit and"},
           {"key: [], limit: {algorithm: leaky_bucket, quota: 5, per: 1s}, action: delay, overrides: "
            "[{match: {a: b}, limit: {quota: 5, "
            "per: 1s}}]",
            "action: only leaky_bucket can delay"}}) {
    EXPECT_THAT(refusal(with_rule(row.written)), HasSubstr("rule \"chat\": ")) << row.written;
    EXPECT_THAT(refusal(with_rule(row.written)), HasSubstr(row.said)) << row.written;
  }
  EXPECT_THAT(refusal("domain: d\nrules: [5]\n"), HasSubstr("policy.yaml:2:9: a rule: a map is needed"));
  EXPECT_THAT(refusal("domain: d\nrules: [{key: []}]\n"), HasSubstr("a rule: it has no name"));
  EXPECT_THAT(refusal("domain: d\nrules: [{name: ~}]\n"), HasSubstr("a rule: name: a text is needed"));
  EXPECT_THAT(refusal("domain: d\nrules: {}\n"), HasSubstr("rules: a list is needed, not a map"));
}

// B46
TEST(PolicyErrors, DuplicatesNameBothPlaces) {
  EXPECT_EQ(refusal("domain: d\nrules: []\ndomain: e\n"),
            "policy.yaml:3:1: \"domain\" is given twice; the first stands at policy.yaml:1:1");
  EXPECT_EQ(refusal("domain: d\nrules:\n  - name: a\n    key: []\n    name: b\n"),
            "policy.yaml:5:5: \"name\" is given twice; the first stands at policy.yaml:3:5");
  const std::string limit = "key: [], limit: {quota: 5, per: 1m}}\n";
  EXPECT_EQ(refusal("domain: d\nrules:\n  - {name: a, " + limit + "  - {name: a, match: {x: y}, " + limit),
            "policy.yaml:4:5: rule \"a\": another rule at policy.yaml:3:5 has this name; names are unique");
  EXPECT_EQ(refusal("domain: d\nrules:\n  - {name: a, match: {endpoint: /x/, y: [p, q]}, " + limit +
                    "  - {name: b, match: {y: [q, p], endpoint: /x}, key: [], limit: {quota: 5, per: 60s, "
                    "burst: 5}}\n"),
            "policy.yaml:4:5: rule \"b\": it says the same as rule \"a\" at policy.yaml:3:5; keep one");
  EXPECT_EQ(refusal("domain: d\nrules:\n  - {name: a, match: {endpoint: /x}, " + limit +
                    "  - {name: b, match: {endpoint: /y}, " + limit),
            "accepted");
  EXPECT_EQ(refusal("domain: d\nrules:\n  - {name: a, action: shadow, " + limit + "  - {name: b, " + limit),
            "accepted");
  EXPECT_THAT(refusal(with_rule("key: [], limit: {quota: 5, per: 1s}, overrides: [{match: {a: b}, unlimited: "
                                "true}, {match: {a: [b]}, limit: "
                                "{quota: 6, per: 1s}}]")),
              HasSubstr("override 2: it matches the same as the override at policy.yaml:3:"));
}

TEST(PolicyErrors, SharedBucketsMustCountAlike) {
  const auto two = [](std::string_view a, std::string_view b) {
    return refusal("domain: d\nrules:\n  - {name: a, match: {m: x}, count_as: pool, " + std::string(a) +
                   "}\n  - {name: b, match: {m: y}, count_as: pool, " + std::string(b) + "}\n");
  };
  const std::string good = "key: [k], limit: {quota: 5, per: 1m}";
  EXPECT_EQ(two(good, good), "accepted");
  EXPECT_EQ(two(good, good + ", cost: 2"), "accepted");
  for (const char* other :
       {"key: [k], limit: {quota: 6, per: 1m}", "key: [], limit: {quota: 5, per: 1m}",
        "key: [k], limit: {quota: 5, per: 2m}", "key: [k], limit: {quota: 5, per: 1m, burst: 6}",
        "key: [k], limit: {algorithm: gcra, quota: 5, per: 1m}",
        "action: shadow, key: [k], limit: {quota: 5, per: 1m}"}) {
    EXPECT_THAT(two(good, other), HasSubstr("policy.yaml:4:5: rule \"b\": it counts in the buckets of "
                                            "\"pool\" like the rule at policy.yaml:3:5"))
        << other;
  }
  EXPECT_THAT(two(good + ", overrides: [{match: {p: q}, limit: {quota: 7, per: 1m}}]",
                  good + ", overrides: [{match: {p: q}, limit: {quota: 8, per: 1m}}]"),
              HasSubstr("its override for p q counts in one bucket"));
}

TEST(PolicyErrors, FilesThatAreNoPolicy) {
  for (const Row& row : std::initializer_list<Row>{
           {"", "policy.yaml:1:1: the file is empty"},
           {"# nothing\n", "policy.yaml:1:1: the file is empty"},
           {"hello\n",
            "a map with domain, rules, timezone, reset_at, trusted_proxies, normalize, lookup, charging is "
            "needed, not hello"},
           {"- a\n", "is needed, not a list"},
           {"rules: []\n", "the policy has no domain"},
           {"domain: d\n", "the policy has no rules"},
           {"domain: ''\nrules: []\n", "domain: the text is empty"},
           {"domain: d\nrules: []\n---\ndomain: e\n", "policy.yaml:3:1: a second document begins here"},
           {"domain: d\nrules:\n\t- name: a\n",
            "policy.yaml:3:1: a TAB stands in the indentation; indent with spaces"},
           {"domain: d\nrules:\n  - name: a\n  \tkey: []\n",
            "policy.yaml:4:3: a TAB stands in the indentation"},
           {"domain: d # \xe9\nrules: []\n", "policy.yaml:1:13: the byte \\xe9 is not UTF-8"},
           {"domain: d\n\4rules: []\n", "policy.yaml:2:1: the control character \\x04 is not allowed"},
           {"domain: &x d\nrules: []\n", "policy.yaml:1:9: anchors (&x) are not read"},
           {"domain: d\nrules: *x\n", "policy.yaml:2:8: aliases (*name) are not read"},
           {"domain: d\nrules:\n  - match: {endpoint: *.php}\n", "put a text that begins with * in quotes"},
           {"domain: d\n<<: {a: b}\nrules: []\n", "policy.yaml:2:1: merge keys (<<) are not read"},
           {"domain: !!str d\nrules: []\n", "policy.yaml:1:9: tags (tag:yaml.org,2002:str) are not read"},
           {"domain: d\nrules: [\n", "this is not YAML"},
           {"domain: \"d\nrules: []\n", "this is not YAML: illegal EOF in scalar"},
           {"domain: d\n? [a]\n: b\nrules: []\n", "the name of a field must be a text"},
           {"domain: d\ntimezone: Asia/Soul\nrules: []\n",
            "policy.yaml:2:11: timezone: unknown time zone \"Asia/Soul\"; did you mean \"Asia/Seoul\"?"},
           {"domain: d\nreset_at: 5\nrules: []\n", "reset_at: \"5\" is not a time of day"},
           {"domain: d\nreset_at: \"24:00\"\nrules: []\n", "reset_at: \"24:00\" is not a time of day"},
           {"domain: d\nreset_at: 05:60\nrules: []\n", "reset_at: \"05:60\" is not a time of day"},
           {"domain: d\ntrusted_proxies: 10.0.0.0/8\nrules: []\n",
            "trusted_proxies: a list is needed, not 10.0.0.0/8; write [10.0.0.0/8]"},
           {"domain: d\ntrusted_proxies: [10.0.0.1/8]\nrules: []\n", "the network is 10.0.0.0/8"},
           {"domain: d\nnormalize: {account: [lower]}\nrules: []\n",
            "normalize: account: unknown method \"lower\""},
           {"domain: d\nnormalize: {ip: {prefix6: 0}}\nrules: []\n",
            "normalize: ip: prefix6: 0 is too small; the least is 1"},
           {"domain: d\nnormalize: {ip: {prefix6: 129}}\nrules: []\n",
            "prefix6: 129 is more than the maximum of 128"},
           {"domain: d\nnormalize: {ip: [trim]}\nrules: []\n", "an address has one form already"},
           {"domain: d\nnormalize: {endpoint: {prefix6: 64}}\nrules: []\n",
            "are paths, which have no prefix6"},
           {"domain: d\nnormalize: []\nrules: []\n", "normalize: a map of dimensions is needed"},
           {"domain: d\ncharging: all\nrules: []\n", "charging: unknown value \"all\""}}) {
    EXPECT_THAT(refusal(row.written), HasSubstr(row.said)) << row.written;
  }
}

TEST(PolicyErrors, SizesAreBounded) {
  EXPECT_THAT(refusal("domain: " + std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(refusal("domain: " + std::string(1'000'000, '[')), HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(refusal(std::string(kMaxPolicyBytes + 1, ' ')), HasSubstr("a policy has at most 67,108,864"));
  EXPECT_THAT(refusal("domain: " + std::string(256, 'x') + "\nrules: []\n"),
              HasSubstr("domain: the name has 256 bytes; 255 is the most"));
  EXPECT_EQ(refusal("domain: " + std::string(255, 'x') + "\nrules: []\n"), "accepted");
}

TEST(PolicyErrors, NamesOfDimensionsAreTheSameEverywhere) {
  const auto uses = [](const std::string& name) {
    return std::vector<std::string>{
        with_rule("match: {" + name + ": x}, key: [], limit: {quota: 5, per: 1s}"),
        with_rule("key: [], limit: {quota: 5, per: 1s}, overrides: [{match: {" + name +
                  ": x}, unlimited: true}]"),
        with_rule("key: [" + name + "], limit: {quota: 5, per: 1s}"),
        with_settings("normalize: {" + name + ": [trim]}"),
        with_settings("lookup: {" + name + ": {from: account, file: plans.csv}}"),
        with_settings("lookup: {plan: {from: " + name + ", file: plans.csv}}")};
  };
  for (const std::string& yaml : uses("\"a\\x01b\"")) {
    EXPECT_THAT(refusal(yaml), HasSubstr("the name \"a\\x01b\" has control characters")) << yaml;
  }
  for (const std::string& yaml : uses("\"a\\x7F\"")) {
    EXPECT_THAT(refusal(yaml), HasSubstr("has control characters")) << yaml;
  }
  for (const std::string& yaml : uses(std::string(256, 'x'))) {
    EXPECT_THAT(refusal(yaml), HasSubstr("the name has 256 bytes; 255 is the most")) << yaml;
  }
  for (const std::string& yaml : uses("\"\"")) EXPECT_THAT(refusal(yaml), HasSubstr(" is empty")) << yaml;
}

// So long that comparing each item with all before it would not end.
TEST(PolicyErrors, LongListsAreReadInProportion) {
  std::string proxies;
  std::string key;
  for (int i = 0; i < 1'000'000; ++i) {
    proxies += "10." + std::to_string(i >> 16) + '.' + std::to_string(i >> 8 & 255) + '.' +
               std::to_string(i & 255) + ',';
    key += "d" + std::to_string(i) + ',';
  }
  EXPECT_EQ(refusal(with_settings("trusted_proxies: [" + proxies + "10.0.0.0]")), "accepted");
  EXPECT_THAT(refusal(with_rule("key: [" + key + "d0], limit: {quota: 5, per: 1s}")),
              HasSubstr("\"d0\" is named twice"));
}

TEST(PolicyErrors, SeveralAreToldAtOnce) {
  EXPECT_EQ(refusal("domain: d\nrules:\n  - {name: a, key: x, limit: {quota: -1, per: 1m}}\n  - {nam: b}\n"),
            "policy.yaml:3:20: rule \"a\": key: a list is needed, not x; write [account], or [] for one "
            "bucket for all\n"
            "policy.yaml:3:38: rule \"a\": quota: -1 is negative; the least is 0\n"
            "policy.yaml:4:5: a rule: it has no name; give it one, such as name: chat");
}

TEST(PolicyErrors, LineEndsAndByteOrderMarksAreNone) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF"
                    "domain: d\r\nrules:\r\n  - {name: a, key: [], limit: {quota: 1, per: 1s}}\r\n"),
            "accepted");
  EXPECT_EQ(refusal("---\ndomain: d\nrules: []\n...\n"), "accepted");
  EXPECT_EQ(refusal("domain: d\nrules: []"), "accepted");
}

}  // namespace
}  // namespace weir
