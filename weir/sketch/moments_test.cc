#include "weir/sketch/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/hostile.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

Moments of(const std::vector<double>& values) {
  Moments moments;
  moments.add(values);
  return moments;
}

TEST(Moments, NothingIsNoNumber) {
  const Moments none;
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.sum(), 0);
  EXPECT_FALSE(none.mean());
  EXPECT_FALSE(none.min());
  EXPECT_FALSE(none.variance());
  EXPECT_FALSE(none.stddev());
}

TEST(Moments, AreThoseOfTheTextbook) {
  const Moments moments = of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(moments.count(), 8);
  EXPECT_EQ(moments.sum(), 40);
  EXPECT_EQ(*moments.mean(), 5);
  EXPECT_DOUBLE_EQ(*moments.stddev(), 2);
  EXPECT_DOUBLE_EQ(*moments.sample_variance(), 32.0 / 7);
  EXPECT_EQ(*moments.min(), 2);
  EXPECT_EQ(*moments.max(), 9);
  EXPECT_FALSE(of({1}).sample_variance());
  EXPECT_EQ(*of({1}).variance(), 0);
}

TEST(Moments, WhatIsNoNumberIsBadAndSkipped) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Moments moments = of({1, std::nan(""), kInfinity, -kInfinity, 3, -0.0});
  moments.add_bad();
  EXPECT_EQ(moments.bad(), 4);
  EXPECT_EQ(moments.count(), 3);
  EXPECT_EQ(moments.sum(), 4);
  EXPECT_FALSE(std::signbit(*moments.min()));
}

TEST(Moments, LoseNothingFarFromZero) {
  Moments moments;
  for (int i = 0; i < 1'000'000; ++i) moments.add(1e9 + i % 2);
  EXPECT_EQ(moments.sum(), 1e15 + 5e5);
  EXPECT_NEAR(*moments.variance(), 0.25, 1e-6);
  EXPECT_EQ(of({1e100, 1, -1e100}).sum(), 1);
  Moments tenths;
  for (int i = 0; i < 10; ++i) tenths.add(0.1);
  EXPECT_EQ(tenths.sum(), 1);
}

TEST(Moments, TheLargestDoublesAreStillNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const Moments moments = of({kMost, -kMost, kMost});
  EXPECT_TRUE(std::isfinite(*moments.mean()));
  EXPECT_EQ(*moments.max(), kMost);
  const Moments beyond = of({kMost, kMost});
  EXPECT_EQ(*beyond.mean(), kMost);
  EXPECT_TRUE(std::isinf(beyond.sum()));
  EXPECT_TRUE(Moments::decode(beyond.encode()).ok());
}

TEST(Moments, MergeIsAsIfOneHadSeenBoth) {
  Random random(4);
  Moments a;
  Moments b;
  Moments all;
  for (int i = 0; i < 10'000; ++i) {
    const double value = 100 + random.normal() * 3;
    (i % 7 == 0 ? a : b).add(value);
    all.add(value);
  }
  b.add_bad();
  const std::string before = b.encode();
  a.merge(b);
  EXPECT_EQ(b.encode(), before);
  EXPECT_EQ(a.count(), all.count());
  EXPECT_EQ(a.bad(), 1);
  EXPECT_DOUBLE_EQ(a.sum(), all.sum());
  EXPECT_NEAR(*a.variance(), *all.variance(), 1e-9);
  EXPECT_EQ(*a.min(), *all.min());
  EXPECT_EQ(*a.max(), *all.max());
  Moments empty;
  empty.merge(a);
  EXPECT_EQ(empty.encode(), a.encode());
  a.merge(Moments());
  EXPECT_EQ(empty.encode(), a.encode());
  a.merge(a);
  EXPECT_EQ(a.count(), 2 * all.count());
}

TEST(Moments, HostileBytesAreSurvived) {
  for (const Moments& moments : {Moments(), of({1, 2, 3.5})}) {
    const Result<Moments> read = Moments::decode(moments.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->encode(), moments.encode());
    test::expect_damage_refused(moments.encode(),
                                [](std::string_view bytes) { return Moments::decode(bytes).ok(); });
  }
}

}  // namespace
}  // namespace weir
