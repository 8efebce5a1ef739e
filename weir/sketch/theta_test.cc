#include "weir/sketch/theta.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"

namespace weir {
namespace {

Theta of(std::uint64_t from, std::uint64_t to, unsigned lg_k = 12, Seed seed = kThetaSeed) {
  Theta theta = *Theta::create(lg_k, seed);
  for (std::uint64_t i = from; i < to; ++i) theta.add(i);
  return theta;
}

TEST(Theta, GoldenFilesHaveTheRightCountsAndAreWrittenAlike) {
  if (!golden("theta_n0.sk")) GTEST_SKIP() << "there is no " << golden_path("theta_n0.sk");
  for (const std::uint64_t n : {0U, 1U, 10U, 1'000U, 100'000U}) {
    const std::string name = std::to_string(n) + ".sk";
    for (const std::string& bytes : {*golden("theta_n" + name), *golden("theta_comp_n" + name)}) {
      const Result<ThetaSet> read = ThetaSet::from_datasketches(bytes);
      ASSERT_TRUE(read.ok()) << n << ": " << read.error().message;
      EXPECT_NEAR(read->estimate().value, static_cast<double>(n), 0.03 * static_cast<double>(n));
      EXPECT_EQ(read->to_datasketches(), *golden("theta_n" + name)) << n;
      EXPECT_EQ(read->to_datasketches_packed(), *golden("theta_comp_n" + name)) << n;
    }
    EXPECT_EQ(of(0, n).set().to_datasketches(), *golden("theta_n" + name)) << n;
  }
}

TEST(Theta, IsExactWhileItHasRoom) {  // F82
  EXPECT_EQ(of(0, 0).estimate().value, 0);
  EXPECT_TRUE(of(0, 0).set().empty());
  EXPECT_EQ(of(0, 1).estimate().value, 1);
  EXPECT_EQ(of(0, 1, 12, Seed{8}).estimate().value, 1);
  const Theta full = of(0, 7'680);
  EXPECT_EQ(full.estimate().low, 7'680);
  EXPECT_EQ(full.estimate().high, 7'680);
  EXPECT_FALSE(of(0, 7'681).set().is_exact());
  Theta few = *Theta::create();
  for (int i = 0; i < 3; ++i) {
    few.add("");
    few.add("a");
    few.add_real(0.0);
    few.add_real(-0.0);
    few.add_real(std::nan("2"));
  }
  EXPECT_EQ(few.estimate().value, 3);
}

TEST(Theta, ErrorIsAsClaimedAcrossAllBorders) {
  constexpr int kRuns = 100;
  const std::vector<std::uint64_t> grid{1,     100,   1'900,  1'920,   1'921,
                                        2'500, 5'000, 20'000, 100'000, 1'000'000};
  std::vector<double> sum(grid.size());
  std::vector<double> squares(grid.size());
  int held = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Theta theta = *Theta::create(10, Seed{run + 1});
    std::uint64_t seen = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; seen < grid[g]; ++seen) theta.add(seen);
      const Estimate estimate = theta.estimate();
      const auto truth = static_cast<double>(grid[g]);
      sum[g] += estimate.value / truth - 1;
      squares[g] += (estimate.value / truth - 1) * (estimate.value / truth - 1);
      held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
    }
  }
  const double stated = 1 / std::sqrt(1'023);
  for (std::size_t g = 0; g < grid.size(); ++g) {
    EXPECT_LE(std::abs(sum[g] / kRuns), 4 * stated / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(squares[g] / kRuns), stated * 1.28) << grid[g];  // 1 + 4/sqrt(200)
  }
  EXPECT_GE(held, 930);  // 95 % of 1,000 less three deviations; a few of them are exact
}

TEST(Theta, SetsAreCountedTogether) {
  const ThetaSet a = of(0, 60'000).set();
  const ThetaSet b = of(40'000, 100'000).set();
  const ThetaSet none = of(0, 0).set();
  EXPECT_NEAR(ThetaSet::unite(a, b, 12)->estimate().value, 100'000, 5'000);
  EXPECT_NEAR(ThetaSet::intersect(a, b)->estimate().value, 20'000, 3'000);
  EXPECT_NEAR(ThetaSet::subtract(a, b)->estimate().value, 40'000, 4'000);
  EXPECT_LE(ThetaSet::intersect(a, b)->estimate(0.9999).low, 20'000);
  EXPECT_GE(ThetaSet::intersect(a, b)->estimate(0.9999).high, 20'000);
  EXPECT_EQ(ThetaSet::unite(a, b, 12)->to_datasketches(), ThetaSet::unite(b, a, 12)->to_datasketches());
  EXPECT_EQ(ThetaSet::unite(a, none, 12)->to_datasketches(), a.trimmed(12).to_datasketches());
  EXPECT_TRUE(ThetaSet::intersect(a, none)->empty());
  EXPECT_TRUE(ThetaSet::subtract(none, a)->empty());
  EXPECT_EQ(ThetaSet::subtract(a, none)->to_datasketches(), a.to_datasketches());
  // Nothing in common is not the same as nothing: there may be some that are not in the sample.
  const Result<ThetaSet> apart = ThetaSet::intersect(a, of(200'000, 300'000).set());
  EXPECT_FALSE(apart->empty());
  EXPECT_EQ(apart->estimate().value, 0);
  EXPECT_GT(apart->estimate().high, 0);
  EXPECT_TRUE(ThetaSet::from_datasketches(apart->to_datasketches()).ok());
  EXPECT_FALSE(ThetaSet::unite(a, of(0, 10, 12, Seed{1}).set(), 12).ok());
  EXPECT_FALSE(ThetaSet::intersect(a, of(0, 10, 12, Seed{1}).set()).ok());
  EXPECT_FALSE(ThetaSet::subtract(a, of(0, 10, 12, Seed{1}).set()).ok());
}

TEST(Theta, SmallSetsAreExact) {
  const ThetaSet a = of(0, 600).set();
  const ThetaSet b = of(400, 1'000).set();
  EXPECT_EQ(ThetaSet::unite(a, b, 12)->estimate().value, 1'000);
  EXPECT_EQ(ThetaSet::intersect(a, b)->estimate().high, 200);
  EXPECT_EQ(ThetaSet::subtract(a, b)->estimate().low, 400);
}

TEST(Theta, MergeIsByteIdenticalToOneThatSawBoth) {
  for (const std::uint64_t n : {0U, 100U, 3'000U, 50'000U}) {
    for (const std::uint64_t m : {0U, 200U, 9'000U, 80'000U}) {
      const Theta a = of(0, n, 10);
      const Theta b = of(n / 2, n / 2 + m, 10);
      const std::string before = b.encode();
      Theta ab = a;
      Theta ba = b;
      ASSERT_TRUE(ab.merge(b).ok());
      ASSERT_TRUE(ba.merge(a).ok());
      const std::string one = of(0, std::max(n, n / 2 + m), 10).encode();
      EXPECT_EQ(ab.encode(), one) << n << ' ' << m;
      EXPECT_EQ(ba.encode(), one) << n << ' ' << m;
      ASSERT_TRUE(ab.merge(ab).ok());
      EXPECT_EQ(ab.encode(), one);
      EXPECT_EQ(b.encode(), before);
    }
  }
}

TEST(Theta, OtherParametersAreRefusedAndChangeNothing) {
  Theta a = of(0, 1'000);
  const std::string before = a.encode();
  EXPECT_FALSE(a.merge(of(0, 10, 11)).ok());
  EXPECT_FALSE(a.merge(of(0, 10, 12, Seed{2})).ok());
  EXPECT_EQ(a.encode(), before);
  EXPECT_FALSE(Theta::create(4).ok());
  EXPECT_FALSE(Theta::create(27).ok());
  EXPECT_EQ(*Theta::suggest_lg_k(0.0157), 12);
  EXPECT_EQ(*Theta::suggest_lg_k(0.01), 14);
  EXPECT_FALSE(Theta::suggest_lg_k(0).ok());
}

TEST(Theta, BatchIsTheSameAsOneByOne) {
  std::vector<std::uint64_t> values(30'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i;
  Theta batch = *Theta::create();
  batch.add(std::span<const std::uint64_t>(values));
  EXPECT_EQ(batch.set().to_datasketches(), of(0, 30'000).set().to_datasketches());
  const std::vector<std::string_view> texts{"a", "", "b", "a"};
  Theta few = *Theta::create();
  few.add(std::span<const std::string_view>(texts));
  EXPECT_EQ(few.estimate().value, 2);
}

TEST(Theta, ComesBackFromItsBytes) {
  for (const std::uint64_t n : {0U, 1U, 2U, 100U, 20'000U}) {
    const Theta theta = of(0, n, 8, Seed{77});
    const Result<ThetaSet> read = ThetaSet::decode(theta.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->encode(), theta.encode());
    EXPECT_EQ(read->seed(), Seed{77});
    EXPECT_TRUE(n == 0 || !ThetaSet::from_datasketches(theta.set().to_datasketches()).ok()) << "another seed";
  }
}

TEST(Theta, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) { return ThetaSet::from_datasketches(bytes).ok(); };
  for (const std::uint64_t n : {0U, 1U, 10U, 500U}) {
    const ThetaSet set = of(0, n, 5).set();
    test::expect_damage_survived(set.to_datasketches(), decode);
    test::expect_damage_survived(set.to_datasketches_packed(), decode);
  }
  test::expect_damage_refused(of(0, 9, 5).encode(),
                              [](std::string_view bytes) { return ThetaSet::decode(bytes).ok(); });
}

}  // namespace
}  // namespace weir
