#include "weir/sketch/redis_hll.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/hostile.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

RedisHll make(std::uint64_t from, std::uint64_t to,
              std::size_t sparse_max_bytes = RedisHll::kSparseMaxBytes) {
  RedisHll hll(sparse_max_bytes);
  for (std::uint64_t i = from; i < to; ++i) hll.add("element:" + std::to_string(i));
  return hll;
}

TEST(RedisHll, HasTheBytesOfRedis) {
  RedisHll hll;
  EXPECT_EQ(hll.hyll(), from_hex("48594c4c0100000000000000000000007fff"));
  EXPECT_TRUE(hll.add("a"));
  EXPECT_TRUE(hll.add("b"));
  EXPECT_TRUE(hll.add("c"));
  EXPECT_FALSE(hll.add("c"));
  EXPECT_EQ(hll.hyll(), from_hex("48594c4c010000000000000000000080"
                                 "60f38050b1844bfb80425a"));
  EXPECT_EQ(hll.count(), 3);
  EXPECT_EQ(hll.hyll(), from_hex("48594c4c010000000300000000000000"
                                 "60f38050b1844bfb80425a"));
  EXPECT_EQ(hll.count(), 3);
  const auto registers = hll.registers();
  EXPECT_EQ(registers[8'436], 1);
  EXPECT_EQ(registers[12'711], 2);
  EXPECT_EQ(registers[15'780], 1);
}

TEST(RedisHll, NothingIsZeroAndTheLinearRangeIsAsClaimed) {  // F82
  EXPECT_EQ(RedisHll().count(), 0);
  EXPECT_EQ(RedisHll().estimate().high, 0);
  RedisHll one;
  one.add("");
  EXPECT_EQ(one.count(), 1);
  RedisHll hll = make(0, 991);
  EXPECT_GE(hll.count(), 969);
  EXPECT_LE(hll.count(), 1'013);
}

TEST(RedisHll, SparseAndDenseHoldTheSame) {
  RedisHll sparse(100'000);
  RedisHll dense(0);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::string element = std::to_string(i);
    EXPECT_EQ(sparse.add(element), dense.add(element)) << i;
  }
  EXPECT_TRUE(dense.is_dense());
  EXPECT_EQ(sparse.registers(), dense.registers());
  EXPECT_EQ(sparse.count(), dense.count());
}

TEST(RedisHll, BecomesDenseAtTheStatedSize) {
  RedisHll hll;
  for (std::uint64_t i = 0; !hll.is_dense(); ++i) {
    EXPECT_LE(hll.hyll().size(), RedisHll::kSparseMaxBytes);
    hll.add(std::to_string(i));
  }
  EXPECT_EQ(hll.hyll().size(), RedisHll::kDenseBytes);
}

TEST(RedisHll, BatchIsTheSameAsOneByOne) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(i * 7));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  RedisHll one;
  RedisHll batch;
  for (const std::string_view view : views) one.add(view);
  EXPECT_TRUE(batch.add(std::span<const std::string_view>(views)));
  EXPECT_FALSE(batch.add(std::span<const std::string_view>(views)));
  EXPECT_EQ(one.hyll(), batch.hyll());
}

TEST(RedisHll, ErrorIsAsClaimedAcrossAllBorders) {
  constexpr int kRuns = 30;
  const std::vector<std::uint64_t> grid{1,     10,     100,    500,    1'000,   1'500,
                                        3'000, 10'000, 30'000, 60'000, 200'000, 1'000'000};
  std::vector<double> sum(grid.size());
  std::vector<double> squares(grid.size());
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    RedisHll hll;
    std::uint64_t seen = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; seen < grid[g]; ++seen) {
        const std::uint64_t element = run << 40U | seen;
        hll.add({reinterpret_cast<const char*>(&element), sizeof element});
      }
      const double error = hll.estimate().value / static_cast<double>(grid[g]) - 1;
      sum[g] += error;
      squares[g] += error * error;
    }
  }
  for (std::size_t g = 0; g < grid.size(); ++g) {
    EXPECT_LE(std::abs(sum[g] / kRuns), 4 * 0.00812 / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(squares[g] / kRuns), 0.00812 * 1.52) << grid[g];  // 1 + 4/sqrt(60)
  }
}

TEST(RedisHll, MergeHasSeenBoth) {  // F81
  for (const std::uint64_t n : {10U, 1'000U, 30'000U}) {
    const RedisHll a = make(0, n);
    const RedisHll b = make(n / 2, 3 * n);
    RedisHll ab = a;
    RedisHll ba = b;
    ab.merge(b);
    ba.merge(a);
    EXPECT_EQ(ab.registers(), make(0, 3 * n).registers());
    EXPECT_EQ(ab.registers(), ba.registers());
    RedisHll again = ab;
    again.merge(ab);
    EXPECT_EQ(again.registers(), ab.registers());
    EXPECT_EQ(b.hyll(), make(n / 2, 3 * n).hyll());
  }
  RedisHll dense = make(0, 30'000);
  dense.merge(make(0, 60'000));
  EXPECT_EQ(dense.hyll(), make(0, 60'000).hyll());
}

TEST(RedisHll, WhatRedisCouldNotHaveStoredIsRefused) {
  const std::string head = from_hex("48594c4c010000000000000000000080");
  EXPECT_FALSE(RedisHll::from_hyll("").ok());
  EXPECT_FALSE(RedisHll::from_hyll("not a sketch at all, but longer than a head").ok());
  EXPECT_FALSE(RedisHll::from_hyll(head).ok());
  EXPECT_FALSE(RedisHll::from_hyll(head + "\x7F").ok());
  EXPECT_FALSE(RedisHll::from_hyll(head + from_hex("7ffe")).ok());
  EXPECT_FALSE(RedisHll::from_hyll(head + from_hex("7fff00")).ok());
  EXPECT_TRUE(RedisHll::from_hyll(head + from_hex("7fff")).ok());
  std::string dense = make(0, 30'000).hyll();
  EXPECT_TRUE(RedisHll::from_hyll(dense).ok());
  EXPECT_FALSE(RedisHll::from_hyll(dense + '\0').ok());
  EXPECT_FALSE(RedisHll::from_hyll(dense.substr(1)).ok());
  dense[16] = static_cast<char>(0x3F);
  EXPECT_FALSE(RedisHll::from_hyll(dense).ok());
}

TEST(RedisHll, HostileBytesAreSurvived) {
  const auto use = [](std::string_view bytes) {
    Result<RedisHll> hll = RedisHll::from_hyll(bytes);
    if (hll) {
      hll->count();
      hll->add("one more");
      RedisHll other;
      other.merge(*hll);
    }
    return hll.ok();
  };
  test::expect_damage_survived(make(0, 100).hyll(), use);
  test::expect_damage_refused(make(0, 10).encode(),
                              [](std::string_view bytes) { return RedisHll::decode(bytes).ok(); });
}

}  // namespace
}  // namespace weir
