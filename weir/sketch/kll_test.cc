#include "weir/sketch/kll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"

namespace weir {
namespace {

Kll<double> of(std::uint64_t count, unsigned k = 200, Seed seed = kFixedSeed) {
  Kll<double> kll = *Kll<double>::create(k, seed);
  for (std::uint64_t i = 0; i < count; ++i) kll.add(static_cast<double>(i));
  return kll;
}

/// How many of many (stream, quantile) pairs have a rank further off than is stated.
template <class Feed>
double share_of_misses(std::uint64_t count, int runs, Feed feed) {
  const double stated = Kll<double>::rank_error(200);
  int misses = 0;
  int asked = 0;
  for (int run = 0; run < runs; ++run) {
    const Kll<double> kll = feed(Seed{static_cast<std::uint64_t>(run)});
    std::vector<double> qs;
    for (double q = 0.05; q < 1; q += 0.1) qs.push_back(q);
    const std::vector<QuantileEstimate> answers = kll.quantiles(qs);
    for (std::size_t i = 0; i < qs.size(); ++i) {
      const double error = (answers[i].value + 1) / static_cast<double>(count) - qs[i];
      ++asked;
      misses += std::abs(error) > stated ? 1 : 0;
    }
  }
  return static_cast<double>(misses) / asked;
}

TEST(Kll, GoldenFilesHaveTheRightAnswers) {
  if (!golden("kll_float_n0.sk")) GTEST_SKIP() << "there is no " << golden_path("kll_float_n0.sk");
  for (const std::uint64_t n : {0U, 1U, 10U, 1'000U, 100'000U}) {
    const std::string name = std::to_string(n) + ".sk";
    const auto floats = Kll<float>::from_datasketches(*golden("kll_float_n" + name));
    const auto doubles = Kll<double>::from_datasketches(*golden("kll_double_n" + name));
    ASSERT_TRUE(floats.ok()) << n << ": " << floats.error().message;
    ASSERT_TRUE(doubles.ok()) << n << ": " << doubles.error().message;
    EXPECT_EQ(floats->count(), n);
    EXPECT_EQ(doubles->count(), n);
    EXPECT_EQ(floats->to_datasketches(), *golden("kll_float_n" + name));
    EXPECT_EQ(doubles->to_datasketches(), *golden("kll_double_n" + name));
    if (n == 0) continue;
    EXPECT_EQ(doubles->min(), 0);
    EXPECT_EQ(doubles->max(), static_cast<double>(n - 1));
    for (const double q : {0.01, 0.5, 0.9}) {
      const double truth = static_cast<double>(nearest_rank(q, n) - 1);
      EXPECT_LE(floats->quantile(q)->low, truth);
      EXPECT_GE(floats->quantile(q)->high, truth);
      EXPECT_NEAR(doubles->quantile(q)->value, truth, 0.0133 * static_cast<double>(n));
    }
    EXPECT_TRUE(n > 200 || of(n).to_datasketches() == *golden("kll_double_n" + name)) << n;
  }
}

TEST(Kll, OneValueIsEveryQuantileAndNoneHasNone) {  // F94
  Kll<double> kll = *Kll<double>::create();
  EXPECT_FALSE(kll.quantile(0.5));
  EXPECT_FALSE(kll.min());
  EXPECT_FALSE(kll.rank(1));
  EXPECT_TRUE(kll.quantiles(std::vector<double>{0.5}).empty());
  kll.add(123);
  for (const double q : {0.0, 0.3, 0.5, 1.0}) {
    EXPECT_EQ(kll.quantile(q)->value, 123);
    EXPECT_EQ(kll.quantile(q)->low, 123);
    EXPECT_EQ(kll.quantile(q)->high, 123);
  }
  for (const double q : {-1.0, 10.0, std::nan("")}) EXPECT_FALSE(check_quantile(q, "quantiles").ok());
  Kll<double> empty = *Kll<double>::create();
  ASSERT_TRUE(empty.merge(kll).ok());
  EXPECT_EQ(empty.max(), 123);
  EXPECT_EQ(empty.quantile(1)->value, 123);
}

TEST(Kll, IsExactWhileItHasRoom) {
  const Kll<double> kll = of(199);
  EXPECT_TRUE(kll.is_exact());
  for (int i = 0; i <= 100; ++i) {
    const double q = i / 100.0;
    EXPECT_EQ(kll.quantile(q)->value, static_cast<double>(nearest_rank(q, 199) - 1));
    EXPECT_EQ(kll.quantile(q)->low, kll.quantile(q)->high);
  }
  EXPECT_EQ(kll.rank(99)->value, 100.0 / 199);
  EXPECT_FALSE(of(300).is_exact());
}

TEST(Kll, RankErrorHoldsInNinetyNineOfAHundred) {
  for (const std::uint64_t count : {1'000U, 30'000U}) {
    EXPECT_LE(share_of_misses(count, 300, [&](Seed seed) { return of(count, 200, seed); }), 0.01) << count;
  }
}

TEST(Kll, RankErrorHoldsWhereItDraws) {
  constexpr std::uint64_t kCount = 2'000'000;
  const double misses = share_of_misses(kCount, 60, [&](Seed seed) {
    Kll<double> kll = *Kll<double>::create(200, seed);
    // All values once, in an order that is neither up nor down.
    for (std::uint64_t i = 0; i < kCount; ++i) kll.add(static_cast<double>(i * 1'234'577 % kCount));
    return kll;
  });
  EXPECT_LE(misses, 0.01);
}

TEST(Kll, RankErrorHoldsAfterMerges) {
  constexpr std::uint64_t kParts = 20;
  constexpr std::uint64_t kCount = 100'000;
  const double misses = share_of_misses(kCount, 150, [&](Seed seed) {
    Kll<double> all = *Kll<double>::create(200, seed);
    for (std::uint64_t part = 0; part < kParts; ++part) {
      Kll<double> kll = *Kll<double>::create(200, seed);
      for (std::uint64_t i = part; i < kCount; i += kParts) kll.add(static_cast<double>(i));
      EXPECT_TRUE(all.merge(kll).ok());
    }
    EXPECT_EQ(all.count(), kCount);
    return all;
  });
  EXPECT_LE(misses, 0.01);
}

TEST(Kll, WhatItHoldsAlwaysWeighsAllThatCame) {
  Kll<double> kll = *Kll<double>::create(20);
  Kll<double> other = *Kll<double>::create(20);
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    kll.add(static_cast<double>(i));
    if (i % 3 == 0) other.add(static_cast<double>(i));
    if (i % 9'973 != 0) continue;
    // Reading the image checks that the weights add up.
    const auto read = Kll<double>::from_datasketches(kll.to_datasketches());
    ASSERT_TRUE(read.ok()) << read.error().message;
    ASSERT_EQ(read->count(), kll.count());
    Kll<double> merged = *read;
    ASSERT_TRUE(merged.merge(other).ok());
    ASSERT_TRUE(Kll<double>::decode(merged.encode()).ok());
  }
}

TEST(Kll, HoldsNoMoreThanItSays) {
  const Kll<double> kll = of(3'000'000);
  EXPECT_LE(kll.to_datasketches().size(), Kll<double>::memory_bytes(200));
  EXPECT_LE(kll.to_datasketches().size(), 700 * sizeof(double));
}

TEST(Kll, OtherParametersAreRefusedAndChangeNothing) {
  Kll<double> a = of(5'000);
  const std::string before = a.encode();
  EXPECT_FALSE(a.merge(of(10, 100)).ok());
  EXPECT_FALSE(a.merge(of(10, 200, Seed{9})).ok());
  EXPECT_EQ(a.encode(), before);
  const Kll<double> b = of(7'000);
  const std::string b_before = b.encode();
  ASSERT_TRUE(a.merge(b).ok());
  EXPECT_EQ(b.encode(), b_before);
  ASSERT_TRUE(a.merge(a).ok());
  EXPECT_EQ(a.count(), 24'000);
  EXPECT_FALSE(Kll<double>::create(7).ok());
  EXPECT_FALSE(Kll<double>::create(65'536).ok());
}

TEST(Kll, WhatIsNoNumberIsBadAndSkipped) {
  Kll<float> kll = *Kll<float>::create();
  const std::vector<float> values{1, std::nanf(""), std::numeric_limits<float>::infinity(), -0.0F, 2};
  kll.add(values);
  kll.add_bad();
  EXPECT_EQ(kll.count(), 3);
  EXPECT_EQ(kll.bad(), 3);
  EXPECT_FALSE(std::signbit(*kll.min()));
  const auto read = Kll<float>::decode(kll.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->bad(), 3);
  EXPECT_FALSE(Kll<double>::decode(kll.encode()).ok());
}

TEST(Kll, SameSeedSameAnswers) {
  EXPECT_EQ(of(100'000).encode(), of(100'000).encode());
  EXPECT_NE(of(100'000).encode(), of(100'000, 200, Seed{2}).encode());
}

TEST(Kll, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) {
    auto kll = Kll<double>::from_datasketches(bytes);
    if (kll) {
      for (int i = 0; i < 100; ++i) kll->add(i);
      kll->quantile(0.5);
      EXPECT_TRUE(kll->merge(of(500, kll->k())).ok());
    }
    return kll.ok();
  };
  for (const std::uint64_t n : {0U, 1U, 5U, 100U}) {
    test::expect_damage_survived(of(n, 8).to_datasketches(), decode);
  }
  test::expect_damage_refused(of(20, 8).encode(),
                              [](std::string_view bytes) { return Kll<double>::decode(bytes).ok(); });
}

TEST(Kll, SuggestsTheSmallestThatDoes) {
  const unsigned k = *Kll<double>::suggest_k(0.01);
  EXPECT_LE(Kll<double>::rank_error(k), 0.01);
  EXPECT_GT(Kll<double>::rank_error(k - 1), 0.01);
  EXPECT_EQ(*Kll<double>::suggest_k(0.9), 8);
  EXPECT_FALSE(Kll<double>::suggest_k(0).ok());
  EXPECT_FALSE(Kll<double>::suggest_k(std::nan("")).ok());
}

}  // namespace
}  // namespace weir
