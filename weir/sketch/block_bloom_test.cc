#include "weir/sketch/block_bloom.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

BlockBloom filter_of(std::uint64_t capacity, double error, std::uint64_t from, std::uint64_t to,
                     Seed seed = kFixedSeed) {
  BlockBloom filter = *BlockBloom::make(capacity, error, seed);
  for (std::uint64_t i = from; i < to; ++i) filter.add(i);
  return filter;
}

/// Of values that were never added.
double measured_error(const BlockBloom& filter) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 40U;
  constexpr int kAsked = 200'000;
  int found = 0;
  for (std::uint64_t i = 0; i < kAsked; ++i) found += filter.contains(kFirst + i) ? 1 : 0;
  return found / static_cast<double>(kAsked);
}

TEST(BlockBloom, ContainsWhatWasAddedAndLittleElse) {
  for (const double error : {0.1, 0.01, 0.001}) {
    const BlockBloom filter = filter_of(50'000, error, 0, 50'000);
    for (std::uint64_t i = 0; i < 50'000; ++i) ASSERT_TRUE(filter.contains(i));
    const double measured = measured_error(filter);
    EXPECT_NEAR(measured, filter.error_rate(), 5 * std::sqrt(error / 200'000));
    EXPECT_LT(measured, error * 1.15);
    EXPECT_GT(measured, error * 0.8);
    EXPECT_NEAR(filter.error_rate(), BlockBloom::expected_error(50'000, filter.bytes() / 32), error * 0.1);
  }
}

TEST(BlockBloom, TakesTheBitsThatThePaperSays) {
  const double bits = 256.0 * static_cast<double>(BlockBloom::suggest_blocks(1'000'000, 0.01)) / 1e6;
  EXPECT_NEAR(bits, 10.5, 0.1);
  EXPECT_EQ(BlockBloom::suggest_blocks(0, 0.01), 1U);
  EXPECT_EQ(BlockBloom::suggest_blocks(~std::uint64_t{0}, 0.01), BlockBloom::kMostBlocks + 1);
}

TEST(BlockBloom, BadSizesAreRefused) {
  for (const double error : {0.0, 1.0, -1.0, std::nan("")}) EXPECT_FALSE(BlockBloom::make(10, error).ok());
  EXPECT_FALSE(BlockBloom::make(~std::uint64_t{0}, 0.01).ok());
}

TEST(BlockBloom, WhenOverfullItAnswersYesAndSaysSo) {
  const BlockBloom filter = filter_of(75, 0.01, 0, 10'000);
  EXPECT_TRUE(filter.over_capacity());
  EXPECT_GT(filter.error_rate(), 0.99);
  EXPECT_GT(filter.fill(), 0.99);
  EXPECT_GT(measured_error(filter), 0.99);
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(filter.contains(i));
  EXPECT_FALSE(filter_of(7500, 0.01, 0, 6000).over_capacity());
  EXPECT_EQ(filter_of(75, 0.01, 0, 0).count().value, 0);
  EXPECT_EQ(filter_of(75, 0.01, 0, 0).error_rate(), 0);
}

TEST(BlockBloom, CountsWhatItHolds) {
  int held = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    const Estimate count = filter_of(2000, 0.01, 0, 1500, Seed{run}).count();
    EXPECT_NEAR(count.value, 1500, 45);
    held += count.low <= 1500 && 1500 <= count.high ? 1 : 0;
  }
  EXPECT_GE(held, 90);
  EXPECT_LE(held, 99);
}

TEST(BlockBloom, ABatchIsOneAfterAnother) {
  std::vector<std::uint64_t> values;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    values.push_back(i * i);
    texts.push_back("value " + std::to_string(i));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  BlockBloom single = *BlockBloom::make(2000, 0.01);
  BlockBloom batch = single;
  for (std::size_t i = 0; i < values.size(); ++i) {
    single.add(values[i]);
    single.add(views[i]);
  }
  batch.add(std::span<const std::uint64_t>(values));
  batch.add(std::span<const std::string_view>(views));
  EXPECT_EQ(single.encode(), batch.encode());
  values.resize(2000, 12345678);
  std::array<bool, 2000> found{};
  batch.contains(std::span<const std::uint64_t>(values), found);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(found.at(i), single.contains(values[i]));
  batch.contains(std::span<const std::string_view>(views), found);
  for (std::size_t i = 0; i < views.size(); ++i) EXPECT_TRUE(found.at(i));
}

TEST(BlockBloom, AMergeIsOneThatSawBoth) {
  BlockBloom merged = filter_of(1000, 0.01, 0, 300);
  const BlockBloom other = filter_of(1000, 0.01, 200, 700);
  const std::string before = other.encode();
  ASSERT_TRUE(merged.merge(other).ok());
  EXPECT_EQ(merged.encode(), filter_of(1000, 0.01, 0, 700).encode());
  EXPECT_EQ(other.encode(), before);
}

TEST(BlockBloom, AMergeThatIsRefusedChangesNothing) {
  BlockBloom filter = filter_of(1000, 0.01, 0, 300);
  const std::string before = filter.encode();
  EXPECT_FALSE(filter.merge(filter_of(1000, 0.01, 0, 10, Seed{1})).ok());
  EXPECT_FALSE(filter.merge(filter_of(2000, 0.01, 0, 10)).ok());
  EXPECT_EQ(filter.encode(), before);
}

TEST(BlockBloom, HasParquetsBits) {
  // Computed from the text of the specification, one bit at a time.
  constexpr std::array<std::uint32_t, 8> kSalts = {0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
                                                   0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31};
  BlockBloom filter = *BlockBloom::make(100, 0.01, BlockBloom::kParquetSeed);
  std::string expected(filter.bytes(), '\0');
  for (const std::string_view value : {"hello", "parquet", ""}) {
    filter.add(value);
    const std::uint64_t hash = xxh64(value, 0);
    const std::uint64_t block = (hash >> 32U) * (filter.bytes() / 32) >> 32U;
    for (std::size_t word = 0; word < 8; ++word) {
      const std::uint32_t bit = static_cast<std::uint32_t>(hash) * kSalts.at(word) >> 27U;
      char& byte = expected[block * 32 + word * 4 + bit / 8];
      byte = static_cast<char>(byte | 1 << bit % 8);
    }
  }
  EXPECT_EQ(filter.to_parquet(), expected);
  const Result<BlockBloom> read = BlockBloom::from_parquet(expected);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->contains("parquet"));
  EXPECT_FALSE(read->over_capacity());
  EXPECT_FALSE(BlockBloom::from_parquet("").ok());
  EXPECT_FALSE(BlockBloom::from_parquet(expected.substr(1)).ok());
}

TEST(BlockBloom, DamageIsRefused) {
  const BlockBloom filter = filter_of(50, 0.01, 0, 30);
  const Result<BlockBloom> read = BlockBloom::decode(filter.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->encode(), filter.encode());
  EXPECT_EQ(read->capacity(), 50U);
  test::expect_damage_refused(filter.encode(),
                              [](const std::string& bytes) { return BlockBloom::decode(bytes).ok(); });
  for (const std::string_view payload :
       {std::string_view("\0\0\0\0\0\0\0\0\5\0", 10), std::string_view("")}) {
    EXPECT_FALSE(BlockBloom::decode(write_frame(SketchKind::block_bloom, payload)).ok());
  }
}

}  // namespace
}  // namespace weir
