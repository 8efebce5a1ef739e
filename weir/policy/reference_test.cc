#include "weir/policy/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/source_dir.h"
#include "weir/limit/limit.h"

namespace weir {
namespace {

using testing::HasSubstr;

std::string page(const std::string& name) {
  std::ifstream file(test::source_dir() + "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Reference, ThePageOfPoliciesHasEveryFieldAsTheReadersKnowIt) {
  const std::string policy = page("policy.md");
  for (const auto fields :
       {policy_fields(), rule_fields(), override_fields(), limit_fields(), lookup_fields()}) {
    EXPECT_THAT(policy, HasSubstr(markdown_table(fields)));
  }
}

TEST(Reference, EveryAlgorithmHasItsPlaceOnThePages) {
  const std::string policy = page("policy.md");
  const std::string pages = page("algorithms.md");
  for (const AlgorithmInfo& row : algorithms()) {
    EXPECT_THAT(policy, HasSubstr('`' + std::string(row.name) + '`'));
    EXPECT_THAT(pages, HasSubstr(std::string(row.name)));
  }
}

}  // namespace
}  // namespace weir
