// Policies that are files and folders, and the tables beside them.
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weir/policy/csv.h"
#include "weir/policy/explain.h"
#include "weir/policy/policy.h"

namespace weir {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class PolicyFiles : public testing::Test {
 protected:
  PolicyFiles()
      : folder_(std::filesystem::temp_directory_path() / ("weir_policy_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~PolicyFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string load(const std::string& name = "") const {
    const auto policy = Policy::load(name.empty() ? folder_ : folder_ / name);
    return policy ? "accepted" : policy.error().message;
  }
  /// The plan that the policy with a `plan` lookup finds.
  std::string plan(const Policy& policy, std::vector<Dimension> dimensions) const {
    for (const auto& shown : explain(policy, {dimensions}).dimensions) {
      if (shown.name == "plan") return shown.value;
    }
    return "none";
  }

  const std::filesystem::path folder_;
};

constexpr std::string_view kRule = "  - {name: a, key: [account], limit: {quota: 1, per: 1m}}\n";

TEST_F(PolicyFiles, AFolderIsOnePolicyInTheOrderOfNames) {
  write("b.yaml", "rules:\n  - {name: b, key: [x], limit: {quota: 1, per: 1m}}\n");
  write("a.yml", "domain: d\ncharging: each\nrules:\n" + std::string(kRule));
  write("c.txt", "not a policy");
  const auto policy = Policy::load(folder_);
  ASSERT_TRUE(policy) << policy.error().message;
  ASSERT_EQ(policy->rules().size(), 2U);
  EXPECT_EQ(policy->rules()[0].name, "a");
  EXPECT_EQ(policy->rules()[1].name, "b");
  EXPECT_EQ(policy->charging(), Charging::each);
}

TEST_F(PolicyFiles, FilesOfAFolderMustAgree) {
  write("a.yaml", "domain: d\nrules:\n" + std::string(kRule));
  write("b.yaml", "domain: d\nrules: []\n");
  EXPECT_EQ(load(), "accepted");
  write("b.yaml", "domain: e\nrules: []\n");
  EXPECT_THAT(load(), HasSubstr("b.yaml:1:1: domain is given at "));
  EXPECT_THAT(load(), EndsWith("a.yaml:1:1 already, and differently"));
  write("b.yaml", "rules:\n" + std::string(kRule));
  EXPECT_THAT(load(), HasSubstr("b.yaml:2:5: rule \"a\": another rule at "));
  EXPECT_THAT(load(), HasSubstr("a.yaml:3:5 has this name"));
  write("b.yaml", "");
  EXPECT_THAT(load(), HasSubstr("b.yaml:1:1: the file is empty"));
}

TEST_F(PolicyFiles, WhatCanNotBeRead) {
  EXPECT_THAT(load(), HasSubstr("there is no *.yaml or *.yml in this folder"));
  EXPECT_THAT(load("no.yaml"), EndsWith("no.yaml: there is no such file"));
  write("a.yaml", "domain: d\nrules:\n" + std::string(kRule));
  EXPECT_EQ(load(), "accepted");
  std::filesystem::create_directory(folder_ / "sub.yaml");
  write(".b.yaml", "neither this");
  EXPECT_EQ(load(), "accepted");
  std::filesystem::create_symlink("nowhere", folder_ / "b.yaml");
  EXPECT_THAT(load(), EndsWith("b.yaml: there is no such file"));
  std::filesystem::remove(folder_ / "b.yaml");
  ASSERT_EQ(mkfifo((folder_ / "b.yaml").c_str(), 0600), 0);
  EXPECT_THAT(load(), EndsWith("b.yaml: this is no file that can be read to its end"));
  write("a.yaml", std::string(65 << 20, '#'));
  EXPECT_THAT(load("a.yaml"), EndsWith("a.yaml: the file has more than 67,108,864 bytes"));
}

TEST_F(PolicyFiles, ALookupDerivesADimension) {
  write("plans.csv", "account,plan\nbob,Paid\n\"smith, j\",free\r\n\n CAROL ,internal\n");
  write("tiers.csv", "plan,tier\npaid,gold\n");
  write("policy.yaml",
        "domain: d\nnormalize: {account: [trim, casefold], plan: [casefold]}\n"
        "lookup:\n  plan: {from: account, file: plans.csv, default: free}\n  tier: {from: plan, file: "
        "tiers.csv}\n"
        "rules:\n  - {name: gold, match: {tier: gold}, key: [plan], limit: {quota: 1, per: 1m}}\n" +
            std::string(kRule));
  const auto policy = Policy::load(folder_ / "policy.yaml");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(plan(*policy, {{"account", "bob"}}), "paid");
  EXPECT_EQ(plan(*policy, {{"account", " BOB"}}), "paid");
  EXPECT_EQ(plan(*policy, {{"account", "smith, j"}}), "free");
  EXPECT_EQ(plan(*policy, {{"account", "carol"}}), "internal");
  EXPECT_EQ(plan(*policy, {{"account", "nobody"}}), "free");
  EXPECT_EQ(plan(*policy, {}), "free");
  // A client can't choose its plan.
  EXPECT_EQ(plan(*policy, {{"plan", "paid"}, {"account", "nobody"}}), "free");
  const std::vector<Dimension> bob{{"account", "bob"}};
  const Explanation explained = explain(*policy, {bob});
  ASSERT_EQ(explained.rules.size(), 2U);
  EXPECT_EQ(explained.rules[0].applies_because, "tier is gold");
  EXPECT_EQ(explained.rules[0].key[0].value, "paid");
}

TEST_F(PolicyFiles, TablesThatAreWrongAreRefusedWithTheirLine) {
  const auto refusal = [&](std::string_view table,
                           std::string_view lookup = "{from: account, file: plans.csv}") {
    write("plans.csv", table);
    write("policy.yaml", "domain: d\nlookup: {plan: " + std::string(lookup) + "}\nrules: []\n");
    return load("policy.yaml");
  };
  EXPECT_EQ(refusal("account,plan\n"), "accepted");
  EXPECT_EQ(refusal("account,plan\nbob,paid\nbob,paid\n"), "accepted");
  EXPECT_THAT(
      refusal(""),
      HasSubstr("plans.csv:1:1: lookup: plan: the table is empty; its first line must be \"account,plan\""));
  EXPECT_THAT(refusal("bob,paid\n"),
              HasSubstr("plans.csv:1:1: lookup: plan: the first line must be \"account,plan\""));
  EXPECT_THAT(refusal("account,plan\nbob\n"),
              HasSubstr("plans.csv:2:1: lookup: plan: two fields are needed, not 1"));
  EXPECT_THAT(refusal("account,plan\n\na,b,c\n"),
              HasSubstr("plans.csv:3:1: lookup: plan: two fields are needed, not 3"));
  EXPECT_THAT(refusal("account,plan\n,paid\n"),
              HasSubstr("plans.csv:2:1: lookup: plan: the account is empty"));
  EXPECT_THAT(refusal("account,plan\nbob,\n"), HasSubstr("plans.csv:2:1: lookup: plan: the plan is empty"));
  EXPECT_THAT(refusal("account,plan\nbob,a\nbob,b\n"),
              HasSubstr("plans.csv:3:1: lookup: plan: \"bob\" is a further up already"));
  EXPECT_THAT(refusal("account,plan\n\"bob,a\n"),
              HasSubstr("plans.csv:2:1: lookup: plan: a quoted field is not closed"));
  EXPECT_THAT(refusal("ip,plan\n1.2.3.400,a\n", "{from: ip, file: plans.csv}"),
              HasSubstr("plans.csv:2:1: lookup: plan: \"1.2.3.400\" is no address"));
  EXPECT_THAT(refusal("", "{from: account, file: no.csv}"), HasSubstr("policy.yaml:2:38: lookup: plan: "));
  EXPECT_THAT(refusal("", "{from: account, file: no.csv}"), HasSubstr("no.csv: there is no such file"));
  EXPECT_THAT(refusal("", "{from: account}"), HasSubstr("lookup: plan: from and file are both needed"));
  EXPECT_THAT(refusal("", "{from: plan, file: plans.csv}"),
              HasSubstr("lookup: plan: \"plan\" can't be looked up by itself"));
  EXPECT_THAT(refusal("", "{form: account, file: plans.csv}"),
              HasSubstr("unknown field \"form\"; did you mean \"from\"?"));
  EXPECT_THAT(refusal("", "plans.csv"),
              HasSubstr("lookup: plan: a map with from, file, default is needed, not plans.csv"));
  EXPECT_THAT(refusal("account,plan\n", "{from: tier, file: plans.csv}, tier: {from: plan, file: plans.csv}"),
              HasSubstr("lookup: plan: \"tier\" is looked up further down; put it above"));
}

TEST(Csv, QuotesHoldAnything) {
  CsvReader reader("a,\"b,\"\"\nc\"\r\n\n,\n\"\",x");
  const auto row = [&] { return *reader.next(); };
  EXPECT_THAT(*row(), testing::ElementsAre("a", "b,\"\nc"));
  EXPECT_EQ(reader.line(), 1U);
  EXPECT_THAT(*row(), testing::ElementsAre("", ""));
  EXPECT_EQ(reader.line(), 4U);
  EXPECT_THAT(*row(), testing::ElementsAre("", "x"));
  EXPECT_EQ(row(), nullptr);
}

TEST(Explain, SaysWhy) {
  const auto policy = Policy::parse(R"(domain: d
rules:
  - {name: files, match: {endpoint: [/x, "/files/*"], ip: 203.0.113.0/24}, key: [ip], limit: {quota: 1, per: 1m}}
  - {name: all, key: [], limit: {quota: 2, per: 1m}, overrides: [{match: {ip: [203.0.113.0/24, 10.0.0.0/8]}, limit: {quota: 3, per: 1m}}]}
  - {name: other, match: {endpoint: /y}, key: [], limit: {quota: 4, per: 1m}}
  - {name: who, key: [account], limit: {quota: 5, per: 1m}}
  - {name: office, match: {ip: 192.0.2.1}, unlimited: true}
)");
  ASSERT_TRUE(policy) << policy.error().message;
  const std::vector<Dimension> request{{"endpoint", "//files/a"}, {"ip", "203.0.113.9:1"}, {"colour", "red"}};
  const Explanation explained = explain(*policy, {request});
  ASSERT_EQ(explained.dimensions.size(), 2U);
  EXPECT_EQ(explained.dimensions[0].value, "/files/a");
  EXPECT_THAT(explained.ignored, testing::ElementsAre("colour"));
  ASSERT_EQ(explained.rules.size(), 2U);
  EXPECT_EQ(explained.rules[0].applies_because, "endpoint fits /files/*, ip is in 203.0.113.0/24");
  EXPECT_EQ(explained.rules[0].limit_because, "rule's own limit");
  EXPECT_EQ(explained.rules[0].key[0].value, "203.0.113.9");
  EXPECT_EQ(explained.rules[1].applies_because, "it applies to every request");
  EXPECT_EQ(explained.rules[1].limit_because, "ip 203.0.113.0/24 or 10.0.0.0/8");
  ASSERT_EQ(explained.skipped.size(), 1U);
  EXPECT_THAT(explained.skipped[0].missing, testing::ElementsAre("account"));
  EXPECT_EQ(explained.others, 2U);
  const std::vector<Dimension> office{{"ip", "192.0.2.1"}};
  EXPECT_EQ(explain(*policy, {office}).unlimited_by, 4U);
  EXPECT_EQ(explain(*policy, {office}).others, 4U);
}

}  // namespace
}  // namespace weir
