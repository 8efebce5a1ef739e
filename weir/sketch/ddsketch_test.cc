#include "weir/sketch/ddsketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/hostile.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

DDSketch of(const std::vector<double>& values, std::size_t buckets = DDSketch::kDefaultBuckets) {
  DDSketch sketch = *DDSketch::create(0.01, buckets);
  sketch.add(values);
  return sketch;
}

/// Of about 1e-6 to 1e6, of both signs, and some zeros.
std::vector<double> spread(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = std::exp(random.normal() * 4);
    if (random.below(4) == 0) value = -value;
    if (random.below(20) == 0) value = 0;
  }
  return values;
}

TEST(DDSketch, EveryQuantileIsWithinItsAccuracy) {
  for (const double accuracy : {0.0001, 0.01, 0.1, 0.5}) {
    std::vector<double> values = spread(1, 20'000);
    DDSketch sketch = *DDSketch::create(accuracy, 1 << 20);
    sketch.add(values);
    std::sort(values.begin(), values.end());
    for (int i = 0; i <= 1'000; ++i) {
      const double q = i / 1'000.0;
      const double truth = values[nearest_rank(q, values.size()) - 1];
      const QuantileEstimate answer = *sketch.quantile(q);
      EXPECT_LE(std::abs(answer.value - truth), std::abs(truth) * accuracy * (1 + 1e-6) + 1e-300) << q;
      EXPECT_LE(answer.low, truth);
      EXPECT_GE(answer.high, truth);
      EXPECT_LE(answer.low, answer.value);
      EXPECT_GE(answer.high, answer.value);
    }
    EXPECT_FALSE(sketch.has_collapsed());
  }
}

TEST(DDSketch, OneValueIsEveryQuantileAndNoneHasNone) {  // F94
  DDSketch sketch = *DDSketch::create();
  EXPECT_FALSE(sketch.quantile(0.5));
  EXPECT_FALSE(sketch.max());
  sketch.add(123);
  for (const double q : {0.0, 0.3, 1.0}) EXPECT_EQ(sketch.quantile(q)->value, 123);
  DDSketch empty = *DDSketch::create();
  ASSERT_TRUE(empty.merge(sketch).ok());
  EXPECT_EQ(empty.max(), 123);
}

TEST(DDSketch, BucketsAreAsFewAsIsSaid) {
  // A microsecond to an hour in nanoseconds.
  const std::size_t buckets = DDSketch::suggest_buckets(0.01, 1e3, 3.6e12);
  EXPECT_GE(buckets, 1'090);
  EXPECT_LE(buckets, 1'130);
  DDSketch sketch = *DDSketch::create(0.01, buckets);
  for (double value = 1e3; value < 3.6e12; value *= 1.001) sketch.add(value);
  EXPECT_FALSE(sketch.has_collapsed());
}

TEST(DDSketch, WhatIsJoinedIsSaidAndItsBoundsHold) {
  std::vector<double> values;
  for (int i = 0; i < 2'000; ++i) values.push_back(std::pow(1.02, i));
  const DDSketch sketch = of(values, 500);
  EXPECT_TRUE(sketch.has_collapsed());
  for (int i = 1; i < 100; ++i) {
    const double q = i / 100.0;
    const double truth = values[nearest_rank(q, values.size()) - 1];
    const QuantileEstimate answer = *sketch.quantile(q);
    EXPECT_LE(answer.low, truth) << q;
    EXPECT_GE(answer.high, truth) << q;
    // The greatest stay precise.
    EXPECT_TRUE(q < 0.77 || std::abs(answer.value - truth) <= truth * 0.010001) << q;
  }
}

TEST(DDSketch, MergeIsByteIdenticalToOneThatSawBoth) {
  for (const std::size_t buckets : {std::size_t{2'048}, std::size_t{100}}) {
    const std::vector<double> first = spread(2, 3'000);
    const std::vector<double> second = spread(3, 2'000);
    DDSketch all = of(first, buckets);
    all.add(second);
    DDSketch ab = of(first, buckets);
    DDSketch ba = of(second, buckets);
    const std::string before = ba.encode();
    ASSERT_TRUE(ab.merge(ba).ok());
    EXPECT_EQ(ba.encode(), before);
    ASSERT_TRUE(ba.merge(of(first, buckets)).ok());
    EXPECT_EQ(ab.encode(), all.encode());
    EXPECT_EQ(ba.encode(), all.encode());
    std::vector<double> backwards = second;
    backwards.insert(backwards.end(), first.rbegin(), first.rend());
    EXPECT_EQ(of(backwards, buckets).encode(), all.encode());
    ASSERT_TRUE(all.merge(all).ok());
    EXPECT_EQ(all.count(), 10'000);
  }
}

TEST(DDSketch, OtherParametersAreRefusedAndChangeNothing) {
  DDSketch a = of(spread(1, 100));
  const std::string before = a.encode();
  EXPECT_FALSE(a.merge(*DDSketch::create(0.02)).ok());
  EXPECT_FALSE(a.merge(*DDSketch::create(0.01, 100)).ok());
  EXPECT_EQ(a.encode(), before);
  for (const double accuracy : {0.0, 0.6, -1.0, std::nan("")}) EXPECT_FALSE(DDSketch::create(accuracy).ok());
  EXPECT_FALSE(DDSketch::create(0.01, 15).ok());
}

TEST(DDSketch, WhatIsNoNumberIsBadAndSkipped) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  DDSketch sketch = of({1, std::nan(""), kInfinity, -kInfinity, -0.0});
  sketch.add_bad();
  EXPECT_EQ(sketch.count(), 2);
  EXPECT_EQ(sketch.bad(), 4);
  EXPECT_FALSE(std::signbit(*sketch.min()));
}

TEST(DDSketch, TheEndsOfTheDoublesAreHeld) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const std::vector<double> values{-kMost, -1e300, -5e-324, 5e-324, 1e-290, 1e300, kMost, kMost};
  for (const std::size_t buckets : {std::size_t{16}, std::size_t{1} << 20U}) {
    const DDSketch sketch = of(values, buckets);
    for (double q = 0; q <= 1; q += 1.0 / 64) {
      const double truth = values[nearest_rank(q, values.size()) - 1];
      EXPECT_LE(sketch.quantile(q)->low, truth);
      EXPECT_GE(sketch.quantile(q)->high, truth);
    }
  }
}

TEST(DDSketch, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) { return DDSketch::decode(bytes).ok(); };
  for (const std::size_t count : {0U, 1U, 40U}) {
    const DDSketch sketch = of(spread(7, count), 20);
    const Result<DDSketch> read = DDSketch::decode(sketch.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->encode(), sketch.encode());
    test::expect_damage_refused(sketch.encode(), decode);
  }
}

}  // namespace
}  // namespace weir
