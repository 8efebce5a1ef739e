#include "weir/sketch/tdigest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/radix_sort.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

TDigest of(std::uint64_t count, unsigned k = 200) {
  TDigest digest = *TDigest::create(k);
  for (std::uint64_t i = 0; i < count; ++i) digest.add(static_cast<double>(i));
  return digest;
}

TEST(RadixSort, SortsAsOthersDo) {
  Random random(1);
  std::vector<double> room;
  for (const std::size_t count : {0U, 1U, 2U, 100U, 5'000U}) {
    std::vector<double> values(count);
    for (double& value : values)
      value = random.normal() * std::pow(10.0, static_cast<double>(random.below(600)) - 300);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    radix_sort(values, room);
    EXPECT_EQ(values, sorted);
  }
  std::vector<double> same(300, 2.5);
  radix_sort(same, room);
  EXPECT_EQ(same, std::vector<double>(300, 2.5));
}

TEST(TDigest, GoldenFilesHaveTheRightAnswersAndAreWrittenAlike) {
  if (!golden("tdigest_n0.sk")) GTEST_SKIP() << "there is no " << golden_path("tdigest_n0.sk");
  for (const std::uint64_t n : {0U, 1U, 10U, 1'000U, 100'000U}) {
    const std::string bytes = *golden("tdigest_n" + std::to_string(n) + ".sk");
    const Result<TDigest> read = TDigest::from_datasketches(bytes);
    ASSERT_TRUE(read.ok()) << n << ": " << read.error().message;
    EXPECT_EQ(read->count(), n);
    EXPECT_EQ(read->to_datasketches(), bytes) << n;
    EXPECT_EQ(of(n).to_datasketches(), bytes) << n;
    if (n == 0) continue;
    EXPECT_EQ(read->min(), 0);
    EXPECT_EQ(read->max(), static_cast<double>(n - 1));
    for (const double q : {0.001, 0.5, 0.9, 0.999}) {
      EXPECT_NEAR(read->quantile(q)->value, static_cast<double>(nearest_rank(q, n) - 1),
                  0.01 * static_cast<double>(n))
          << n;
    }
  }
}

TEST(TDigest, OneValueIsEveryQuantileAndNoneHasNone) {  // F94
  TDigest digest = *TDigest::create();
  EXPECT_FALSE(digest.quantile(0.5));
  EXPECT_FALSE(digest.rank(1));
  digest.add(123);
  for (const double q : {0.0, 0.3, 1.0}) EXPECT_EQ(digest.quantile(q)->value, 123);
  TDigest empty = *TDigest::create();
  ASSERT_TRUE(empty.merge(digest).ok());
  EXPECT_EQ(empty.max(), 123);
  EXPECT_EQ(empty.count(), 1);
}

TEST(TDigest, IsExactWhileSmall) {
  const TDigest digest = of(100);
  for (int i = 0; i <= 100; ++i) {
    EXPECT_EQ(digest.quantile(i / 100.0)->value, static_cast<double>(nearest_rank(i / 100.0, 100) - 1));
  }
  EXPECT_DOUBLE_EQ(*digest.rank(50), 0.505);
  EXPECT_EQ(digest.rank(-1), 0);
  EXPECT_EQ(digest.rank(1'000), 1);
}

TEST(TDigest, AnswersAreCloseOnSmoothStreams) {
  Random random(6);
  std::vector<double> values(200'000);
  for (double& value : values) value = random.normal();
  TDigest digest = *TDigest::create();
  digest.add(values);
  std::sort(values.begin(), values.end());
  for (const double q : {0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999}) {
    const QuantileEstimate answer = *digest.quantile(q);
    const auto below = std::lower_bound(values.begin(), values.end(), answer.value) - values.begin();
    EXPECT_NEAR(static_cast<double>(below) / 200'000, q, 0.005 * 4 * q * (1 - q) + 1e-4) << q;
    EXPECT_LE(answer.low, answer.value);
    EXPECT_GE(answer.high, answer.value);
    EXPECT_NEAR(*digest.rank(answer.value), q, 0.005);
  }
}

TEST(TDigest, MergeHasSeenBoth) {
  TDigest all = *TDigest::create(100);
  for (std::uint64_t part = 0; part < 20; ++part) {
    TDigest digest = *TDigest::create(100);
    for (std::uint64_t i = part; i < 100'000; i += 20) digest.add(static_cast<double>(i));
    const std::string before = digest.encode();
    ASSERT_TRUE(all.merge(digest).ok());
    EXPECT_EQ(digest.encode(), before);
  }
  EXPECT_EQ(all.count(), 100'000);
  EXPECT_EQ(all.max(), 99'999);
  for (const double q : {0.01, 0.5, 0.99}) EXPECT_NEAR(all.quantile(q)->value, q * 100'000, 1'000);
  ASSERT_TRUE(all.merge(all).ok());
  EXPECT_EQ(all.count(), 200'000);
  const std::string before = all.encode();
  EXPECT_FALSE(all.merge(of(10)).ok());
  EXPECT_EQ(all.encode(), before);
  EXPECT_FALSE(TDigest::create(9).ok());
}

TEST(TDigest, HoldsNoMoreThanItSays) {
  for (const unsigned k : {10U, 29U, 100U, 200U, 1'000U}) {
    EXPECT_LE(of(1'000'000, k).to_datasketches().size(), TDigest::memory_bytes(k)) << k;
    EXPECT_LE(of(1'000'000, k).to_datasketches().size(), 32 + 16 * (2 * k + 30)) << k;
  }
}

TEST(TDigest, WhatIsNoNumberIsBadAndSkipped) {
  TDigest digest = *TDigest::create();
  digest.add(std::vector<double>{1, std::nan(""), std::numeric_limits<double>::infinity(), -0.0});
  digest.add_bad();
  EXPECT_EQ(digest.count(), 2);
  EXPECT_EQ(digest.bad(), 3);
  EXPECT_FALSE(std::signbit(*digest.min()));
  EXPECT_EQ(TDigest::decode(digest.encode())->bad(), 3);
}

TEST(TDigest, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) {
    auto digest = TDigest::from_datasketches(bytes);
    if (digest) {
      for (int i = 0; i < 300; ++i) digest->add(i);
      digest->quantile(0.5);
      digest->rank(0.5);
    }
    return digest.ok();
  };
  for (const std::uint64_t n : {0U, 1U, 30U})
    test::expect_damage_survived(of(n, 10).to_datasketches(), decode);
  test::expect_damage_refused(of(5, 10).encode(),
                              [](std::string_view bytes) { return TDigest::decode(bytes).ok(); });
}

TEST(TDigest, SuggestsTheSmallestThatDoes) {
  EXPECT_EQ(*TDigest::suggest_k(0.04), 200);
  EXPECT_EQ(*TDigest::suggest_k(1), 10);
  EXPECT_FALSE(TDigest::suggest_k(1e-6).ok());
  EXPECT_FALSE(TDigest::suggest_k(0).ok());
}

}  // namespace
}  // namespace weir
