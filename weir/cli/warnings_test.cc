#include "weir/cli/warnings.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(Warnings, are_kept_once_each_and_no_more_than_a_reader_would_read) {
  Warnings warnings;
  EXPECT_TRUE(warnings.sentences().empty());
  for (int i = 0; i < 2000; ++i) warnings.add("sentence " + std::to_string(i / 2));
  const std::vector<std::string> said = warnings.sentences();
  ASSERT_EQ(said.size(), Warnings::kMost + 1);
  EXPECT_EQ(said.front(), "sentence 0");
  EXPECT_EQ(said[Warnings::kMost - 1], "sentence 9");
  EXPECT_EQ(said.back(), "and 1,980 more like these");
}

}  // namespace
}  // namespace weir
