#include "weir/server/reloader.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::server {
namespace {

Policy policy(const std::string& rules) {
  return Policy::parse("domain: d\nrules:\n" + rules).value();
}

std::string rule(const std::string& name, const std::string& more = "limit: {quota: 1, per: 1s}") {
  return "  - {name: " + name + ", match: {e: " + name + "}, key: [], " + more + "}\n";
}

TEST(Difference, NamesWhatChanged) {
  const Policy before = policy(rule("a") + rule("b") + rule("c"));
  EXPECT_EQ(difference(before, policy(rule("c") + rule("b") + rule("a"))), "no limit changed");
  EXPECT_EQ(difference(before, policy(rule("a") + rule("b", "limit: {quota: 2, per: 1s}") + rule("d"))),
            "added d, removed c, changed the limits of b");
  EXPECT_EQ(difference(before, policy(rule("a", "limit: {quota: 1, per: 2s}") + rule("b") + rule("c"))),
            "changed the limits of a");
}

TEST(Difference, StaysShort) {
  std::string many;
  for (int i = 0; i < 9; ++i) many += rule("r" + std::to_string(i));
  EXPECT_EQ(difference(policy(rule("a")), policy(rule("a") + many)), "added r0, r1, r2, r3, r4 and 4 more");
}

TEST(FileIdentity, IsThatOfNothingWhereNothingIs) {
  EXPECT_EQ(identity_of("/nonexistent"), FileIdentity{});
  EXPECT_NE(identity_of("/"), FileIdentity{});
}

}  // namespace
}  // namespace weir::server
