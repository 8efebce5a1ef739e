#include "weir/sketch/datasketches_bloom.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"

namespace weir {
namespace {

DataSketchesBloom filter_of(std::int64_t from, std::int64_t to) {
  DataSketchesBloom filter = *DataSketchesBloom::make(1000, 0.01);
  for (std::int64_t i = from; i < to; ++i) filter.add(i);
  return filter;
}

TEST(DataSketchesBloom, ReadsAndWritesWhatTheReferenceWrote) {
  for (const int n : {0, 1, 10, 1000}) {
    const std::optional<std::string> bytes = golden("bloom_n" + std::to_string(n) + ".sk");
    if (!bytes) GTEST_SKIP() << "NOT RUN: no " << golden_path("");
    const Result<DataSketchesBloom> read = DataSketchesBloom::read_datasketches(*bytes);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->empty(), n == 0);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_TRUE(read->contains(i));
    int found = 0;
    for (std::int64_t i = 1'000'000; i < 1'100'000; ++i) found += read->contains(i) ? 1 : 0;
    EXPECT_NEAR(found / 100'000.0, read->error_rate(), 0.0015);
    EXPECT_LT(read->error_rate(), 0.0105);
    EXPECT_EQ(read->write_datasketches(), *bytes);
    EXPECT_EQ(filter_of(0, n).write_datasketches(), *bytes);
  }
}

TEST(DataSketchesBloom, HoldsTexts) {
  DataSketchesBloom filter = *DataSketchesBloom::make(100, 0.001);
  filter.add("weir");
  EXPECT_TRUE(filter.contains("weir"));
  EXPECT_FALSE(filter.contains("wier"));
  filter.add("");
  EXPECT_FALSE(filter.contains(""));
}

TEST(DataSketchesBloom, MergesAreOneThatSawBoth) {
  DataSketchesBloom filter = filter_of(0, 300);
  ASSERT_TRUE(filter.merge(filter_of(300, 500)).ok());
  EXPECT_EQ(filter.write_datasketches(), filter_of(0, 500).write_datasketches());
  const std::string before = filter.write_datasketches();
  EXPECT_FALSE(filter.merge(*DataSketchesBloom::make(1000, 0.01, 5)).ok());
  EXPECT_FALSE(filter.merge(*DataSketchesBloom::make(2000, 0.01)).ok());
  EXPECT_FALSE(filter.merge(*DataSketchesBloom::make(500, 0.0001)).ok());
  EXPECT_EQ(filter.write_datasketches(), before);
}

TEST(DataSketchesBloom, BadSizesAreRefused) {
  EXPECT_FALSE(DataSketchesBloom::make(0, 0.01).ok());
  EXPECT_FALSE(DataSketchesBloom::make(10, 0).ok());
  EXPECT_FALSE(DataSketchesBloom::make(10, 1).ok());
  EXPECT_FALSE(DataSketchesBloom::make(~std::uint64_t{0}, 0.01).ok());
}

TEST(DataSketchesBloom, DamageIsSurvived) {
  DataSketchesBloom filter = *DataSketchesBloom::make(20, 0.01);
  const auto decodes = [](const std::string& bytes) {
    const Result<DataSketchesBloom> read = DataSketchesBloom::read_datasketches(bytes, 1U << 20U);
    return read.ok() && (read->contains(5) || !read->empty() || read->bits() > 0);
  };
  test::expect_damage_survived(filter.write_datasketches(), decodes);
  filter.add(5);
  test::expect_damage_survived(filter.write_datasketches(), decodes);
  // The size of an empty filter costs its writer nothing.
  std::string huge = (*DataSketchesBloom::make(20, 0.01)).write_datasketches();
  huge[19] = 0x40;
  EXPECT_FALSE(DataSketchesBloom::read_datasketches(huge).ok());
}

}  // namespace
}  // namespace weir
