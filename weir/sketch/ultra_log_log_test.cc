#include "weir/sketch/ultra_log_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/hostile.h"
#include "weir/sketch/hll.h"

namespace weir {
namespace {

UltraLogLog make(unsigned precision, std::uint64_t from, std::uint64_t to, Seed seed = kFixedSeed) {
  UltraLogLog counted = *UltraLogLog::create(precision, seed);
  for (std::uint64_t i = from; i < to; ++i) counted.add(i);
  return counted;
}

TEST(UltraLogLog, IsExactWhileSmall) {  // F82
  for (const unsigned precision : {4U, 8U, 12U, 20U}) {
    UltraLogLog counted = *UltraLogLog::create(precision);
    EXPECT_EQ(counted.estimate().value, 0);
    EXPECT_EQ(counted.estimate().high, 0);
    counted.add("one");
    counted.add("one");
    EXPECT_EQ(counted.estimate().value, 1);
    EXPECT_EQ(counted.estimate().confidence, 1);
  }
  for (std::uint64_t n = 0; n <= 384; ++n) {
    const UltraLogLog counted = make(12, 0, n);
    EXPECT_TRUE(counted.is_exact());
    EXPECT_EQ(counted.estimate().value, static_cast<double>(n));
    EXPECT_EQ(counted.estimate().low, static_cast<double>(n));
  }
  EXPECT_FALSE(make(12, 0, 385).is_exact());
}

TEST(UltraLogLog, DoesNotJumpWhereItStopsBeingExact) {
  UltraLogLog counted = make(12, 0, 384);
  double before = counted.estimate().value;
  for (std::uint64_t n = 384; n < 600; ++n) {
    counted.add(n);
    const double now = counted.estimate().value;
    // The martingale grows by the inverse of the chance of a change, which is close to 1 here.
    EXPECT_GE(now, before);
    EXPECT_LE(now - before, 1.2) << n;
    before = now;
  }
  EXPECT_NEAR(before, 600, 20);
}

/// Bias and deviation over many seeds, from 1 to 10^6 on a log grid, across the border of exact and not.
TEST(UltraLogLog, ErrorIsAsClaimedAcrossAllBorders) {
  constexpr unsigned kPrecision = 10;
  constexpr int kRuns = 80;
  const std::vector<std::uint64_t> grid{1,     10,     96,     97,      98,      100,
                                        120,   200,    400,    1'000,   2'000,   4'000,
                                        8'000, 16'000, 32'000, 100'000, 300'000, 1'000'000};
  std::vector<double> sum(grid.size());
  std::vector<double> squares(grid.size());
  std::vector<double> free_sum(grid.size());
  std::vector<double> free_squares(grid.size());
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    UltraLogLog counted = *UltraLogLog::create(kPrecision, Seed{run});
    std::uint64_t seen = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; seen < grid[g]; ++seen) counted.add(seen);
      const double error = counted.estimate().value / static_cast<double>(grid[g]) - 1;
      sum[g] += error;
      squares[g] += error * error;
      const double free_error = counted.order_free_estimate().value / static_cast<double>(grid[g]) - 1;
      free_sum[g] += free_error;
      free_squares[g] += free_error * free_error;
    }
  }
  const double martingale = 0.658 / 32;
  const double likelihood = 0.761 / 32;
  for (std::size_t g = 0; g < grid.size(); ++g) {
    // Four deviations of a mean of 80, and of a root mean square of 80 (1 + 4/sqrt(160)).
    EXPECT_LE(std::abs(sum[g] / kRuns), 4 * martingale / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(squares[g] / kRuns), martingale * 1.32) << grid[g];
    EXPECT_LE(std::abs(free_sum[g] / kRuns), 4 * likelihood / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(free_squares[g] / kRuns), likelihood * 1.32) << grid[g];
  }
}

TEST(UltraLogLog, IntervalHoldsTheTruthAsOftenAsItSays) {
  constexpr int kRuns = 400;
  int held = 0;
  int free_held = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const UltraLogLog counted = make(8, 0, 5'000, Seed{run});
    const Estimate estimate = counted.estimate(0.9);
    held += estimate.low <= 5'000 && 5'000 <= estimate.high ? 1 : 0;
    const Estimate order_free = counted.order_free_estimate(0.9);
    free_held += order_free.low <= 5'000 && 5'000 <= order_free.high ? 1 : 0;
  }
  EXPECT_GE(held, 336);  // 360 - 4 deviations of 6
  EXPECT_GE(free_held, 336);
}

TEST(UltraLogLog, MergeIsByteIdenticalToOneThatSawBoth) {  // F81
  for (const std::uint64_t n : {0U, 5U, 300U, 400U, 1'000U, 50'000U}) {
    for (const std::uint64_t m : {0U, 5U, 380U, 2'000U, 70'000U}) {
      const UltraLogLog a = make(12, 0, n);
      const UltraLogLog b = make(12, n / 2, n / 2 + m);
      const std::string b_before = b.encode();
      UltraLogLog ab = a;
      UltraLogLog ba = b;
      ASSERT_TRUE(ab.merge(b).ok());
      ASSERT_TRUE(ba.merge(a).ok());
      const UltraLogLog one = make(12, 0, std::max(n, n / 2 + m));
      EXPECT_EQ(ab.encode(), one.encode()) << n << ' ' << m;
      EXPECT_EQ(ba.encode(), one.encode()) << n << ' ' << m;
      EXPECT_EQ(ab.order_free_estimate().value, one.order_free_estimate().value);
      ASSERT_TRUE(ab.merge(b).ok());
      EXPECT_EQ(ab.encode(), one.encode());
      EXPECT_EQ(b.encode(), b_before);
    }
  }
}

TEST(UltraLogLog, OtherParametersAreRefusedAndChangeNothing) {
  UltraLogLog a = make(12, 0, 1'000);
  const std::string before = a.encode();
  const Status other_precision = a.merge(make(11, 0, 10));
  ASSERT_FALSE(other_precision.ok());
  EXPECT_EQ(other_precision.error().message,
            "distinct count: can't merge: the precision is 12 here and 11 there");
  EXPECT_FALSE(a.merge(make(12, 0, 10, Seed{1})).ok());
  EXPECT_EQ(a.encode(), before);
  EXPECT_FALSE(UltraLogLog::create(3).ok());
  EXPECT_FALSE(UltraLogLog::create(21).ok());
}

TEST(UltraLogLog, ReducedIsWhatASmallerOneWouldBe) {
  for (const std::uint64_t n : {0U, 10U, 100U, 2'000U, 100'000U}) {
    for (const unsigned precision : {4U, 7U, 11U, 12U}) {
      const Result<UltraLogLog> reduced = make(12, 0, n).reduced(precision);
      ASSERT_TRUE(reduced.ok());
      EXPECT_EQ(reduced->encode(), make(precision, 0, n).encode()) << n << ' ' << precision;
    }
  }
  EXPECT_FALSE(make(12, 0, 1).reduced(13).ok());
  EXPECT_FALSE(make(12, 0, 1).reduced(3).ok());
}

TEST(UltraLogLog, BatchesAreTheSameAsOneByOne) {
  std::vector<std::uint64_t> numbers(3'000);
  std::vector<std::string> texts(3'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) texts[i] = std::to_string(numbers[i] = i * i);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  UltraLogLog one = *UltraLogLog::create(8);
  UltraLogLog batch = one;
  for (const std::uint64_t number : numbers) one.add(number);
  for (const std::string_view view : views) one.add(view);
  batch.add(std::span<const std::uint64_t>(numbers));
  batch.add(std::span<const std::string_view>(views));
  EXPECT_EQ(one.encode(), batch.encode());
  EXPECT_EQ(one.estimate().value, batch.estimate().value);
}

TEST(UltraLogLog, ComesBackFromItsBytes) {
  for (const std::uint64_t n : {0U, 1U, 384U, 385U, 100'000U}) {
    const UltraLogLog counted = make(12, 0, n, Seed{99});
    const Result<UltraLogLog> read = UltraLogLog::decode(counted.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->encode(), counted.encode());
    EXPECT_EQ(read->seed(), Seed{99});
    EXPECT_EQ(read->estimate().value, counted.order_free_estimate().value);
  }
}

TEST(UltraLogLog, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) { return UltraLogLog::decode(bytes).ok(); };
  test::expect_damage_refused(make(8, 0, 5).encode(), decode);
  test::expect_damage_refused(make(6, 0, 500).encode(), decode);
}

TEST(UltraLogLog, SuggestsTheSmallestThatDoes) {
  EXPECT_EQ(*UltraLogLog::suggest_precision(0.012), 12);
  EXPECT_EQ(*UltraLogLog::suggest_precision(0.01), 13);
  EXPECT_EQ(*UltraLogLog::suggest_precision(0.9), 4);
  EXPECT_FALSE(UltraLogLog::suggest_precision(0.0005).ok());
  EXPECT_FALSE(UltraLogLog::suggest_precision(-1).ok());
}

}  // namespace
}  // namespace weir
