#include "weir/sketch/count_min.h"

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

CountMin sketch_of(CountMinSize size, Seed seed = kFixedSeed) {
  return *CountMin::make(size, seed);
}

/// Skewed: about half of all are one of ten values.
std::uint64_t draw_skewed(Random& random) {
  return static_cast<std::uint64_t>(1 / std::pow(random.unit(), 1.3));
}

TEST(CountMin, SmallestSketch) {
  CountMin sketch = sketch_of({.width = 2, .depth = 2});
  const std::uint64_t foo = sketch.add("foo", 10);
  EXPECT_EQ(foo, sketch.estimate("foo"));
  const std::uint64_t bar = sketch.add("bar", 42);
  EXPECT_EQ(bar, sketch.estimate("bar"));
  EXPECT_GE(sketch.estimate("foo"), 10U);
  EXPECT_GE(sketch.estimate("bar"), 42U);
  EXPECT_EQ(sketch.total(), 52U);
}

TEST(CountMin, IsNeverTooLowAndSeldomTooHigh) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CountMin sketch = sketch_of(suggest_count_min(0.002, 0.01), Seed{seed});
    std::map<std::uint64_t, std::uint64_t> truth;
    Random random(seed);
    for (int i = 0; i < 50'000; ++i) {
      const std::uint64_t value = seed % 2 == 0 ? draw_skewed(random) : random.below(20'000);
      ++truth[value];
      const std::uint64_t said = sketch.add(value);
      ASSERT_EQ(said, sketch.estimate(value));
    }
    std::size_t off = 0;
    for (const auto& [value, count] : truth) {
      const std::uint64_t estimate = sketch.estimate(value);
      ASSERT_GE(estimate, count);
      const Estimate bounds = sketch.bounds(estimate);
      EXPECT_EQ(bounds.high, static_cast<double>(estimate));
      off += static_cast<double>(count) < bounds.low ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(off),
              std::exp(-static_cast<double>(sketch.depth())) * static_cast<double>(truth.size()));
    EXPECT_NEAR(sketch.bounds(0).confidence, 1 - std::exp(-5), 1e-9);
  }
}

TEST(CountMin, SizesAreThoseOfTheErrorAndTheChance) {
  EXPECT_EQ(suggest_count_min(0.001, 0.01).width, 2719U);
  EXPECT_EQ(suggest_count_min(0.001, 0.01).depth, 5U);
  EXPECT_EQ(redis_count_min(0.001, 0.01).width, 2000U);
  EXPECT_EQ(redis_count_min(0.001, 0.01).depth, 7U);
  EXPECT_EQ(sketch_of({.width = 100, .depth = 3}).bytes(), 1200U);
  for (const double bad : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(CountMin::make(bad, 0.01).ok());
    EXPECT_FALSE(CountMin::make(0.01, bad).ok());
  }
  EXPECT_FALSE(CountMin::make(1e-300, 0.01).ok());
  EXPECT_FALSE(CountMin::make(0.1, 1e-300).ok());
  EXPECT_FALSE(CountMin::make(CountMinSize{.width = 0, .depth = 1}).ok());
  EXPECT_FALSE(CountMin::make(CountMinSize{.width = ~std::uint64_t{0}, .depth = 64}).ok());
}

TEST(CountMin, CountersStopAtTheirMaximumAndSaySo) {
  CountMin sketch = sketch_of({.width = 100, .depth = 4});
  EXPECT_EQ(sketch.add("a", 4294967295), 4294967295U);
  EXPECT_FALSE(sketch.saturated());
  EXPECT_EQ(sketch.bounds(sketch.estimate("a")).high, 4294967295.0);
  EXPECT_EQ(sketch.add("a"), 4294967295U);
  EXPECT_TRUE(sketch.saturated());
  EXPECT_TRUE(std::isinf(sketch.bounds(sketch.estimate("a")).high));
  EXPECT_EQ(sketch.total(), 4294967296U);
  WideCountMin wide = *WideCountMin::make(CountMinSize{.width = 100, .depth = 4});
  EXPECT_EQ(wide.add("a", ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_FALSE(wide.saturated());
  wide.add("b");
  EXPECT_TRUE(wide.saturated());
  EXPECT_EQ(wide.total(), ~std::uint64_t{0});
}

TEST(CountMin, ARefusedBatchChangesNothing) {
  CountMin sketch = sketch_of({.width = 100, .depth = 4});
  const std::array<std::string_view, 3> values = {"a", "b", "a"};
  std::array<std::uint64_t, 3> estimates{};
  const std::string before = sketch.encode();
  EXPECT_EQ(sketch.add(values, std::array<std::int64_t, 3>{1, 2, -1}, estimates).error().message,
            "Count-Min sketch: count 3 is -1; it must not be negative");
  EXPECT_EQ(sketch.encode(), before);
  ASSERT_TRUE(sketch.add(values, std::array<std::int64_t, 3>{1, 2, 4}, estimates).ok());
  EXPECT_EQ(estimates, (std::array<std::uint64_t, 3>{1, 2, 5}));
}

TEST(CountMin, ABatchIsOneAfterAnother) {
  for (const std::uint64_t width : {1000U, 200'000U}) {
    CountMin single = sketch_of({.width = width, .depth = 5});
    CountMin batch = single;
    std::vector<std::uint64_t> values;
    std::vector<std::string> texts;
    Random random(1);
    for (int i = 0; i < 1003; ++i) {
      values.push_back(draw_skewed(random));
      texts.push_back(std::to_string(values.back()));
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    for (const std::uint64_t value : values) single.add(value);
    for (const std::string_view view : views) single.add(view);
    batch.add(std::span<const std::uint64_t>(values));
    batch.add(std::span<const std::string_view>(views));
    EXPECT_EQ(single.encode(), batch.encode());
  }
}

TEST(CountMin, ASumIsNeverTooLow) {
  const CountMinSize size{.width = 500, .depth = 4};
  CountMin sum = sketch_of(size);
  std::map<std::uint64_t, std::uint64_t> truth;
  Random random(7);
  for (std::uint64_t weight = 1; weight <= 3; ++weight) {
    CountMin part = sketch_of(size);
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t value = draw_skewed(random);
      truth[value] += weight;
      part.add(value);
    }
    const std::string before = part.encode();
    ASSERT_TRUE(sum.merge(part, weight).ok());
    EXPECT_EQ(part.encode(), before);
  }
  EXPECT_EQ(sum.total(), 60'000U);
  const double error = std::numbers::e / 500 * 60'000;
  std::size_t off = 0;
  for (const auto& [value, count] : truth) {
    ASSERT_GE(sum.estimate(value), count);
    off += static_cast<double>(sum.estimate(value) - count) > error ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(off), std::exp(-4) * static_cast<double>(truth.size()));
}

TEST(CountMin, SumsStopToo) {
  CountMin sketch = sketch_of({.width = 10, .depth = 2});
  CountMin other = sketch;
  sketch.add("a", 4'000'000'000);
  other.add("a", 4'000'000'000);
  ASSERT_TRUE(sketch.merge(other).ok());
  EXPECT_EQ(sketch.estimate("a"), 4294967295U);
  EXPECT_TRUE(sketch.saturated());
  CountMin weighted = sketch_of({.width = 10, .depth = 2});
  ASSERT_TRUE(weighted.merge(other, ~std::uint64_t{0}).ok());
  EXPECT_EQ(weighted.estimate("a"), 4294967295U);
  EXPECT_EQ(weighted.total(), ~std::uint64_t{0});
  CountMin after = sketch_of({.width = 10, .depth = 2});
  ASSERT_TRUE(after.merge(sketch).ok());
  EXPECT_TRUE(after.saturated());
}

TEST(CountMin, AMergeThatIsRefusedChangesNothing) {
  CountMin sketch = sketch_of({.width = 10, .depth = 2});
  sketch.add("a");
  const std::string before = sketch.encode();
  EXPECT_FALSE(sketch.merge(sketch_of({.width = 11, .depth = 2})).ok());
  EXPECT_FALSE(sketch.merge(sketch_of({.width = 10, .depth = 3})).ok());
  EXPECT_FALSE(sketch.merge(sketch_of({.width = 10, .depth = 2}, Seed{1})).ok());
  EXPECT_EQ(sketch.encode(), before);
}

TEST(CountMin, DamageIsRefused) {
  CountMin sketch = sketch_of({.width = 10, .depth = 2});
  sketch.add("a", 70'000);
  const Result<CountMin> read = CountMin::decode(sketch.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->encode(), sketch.encode());
  EXPECT_EQ(read->estimate("a"), 70'000U);
  EXPECT_FALSE(WideCountMin::decode(sketch.encode()).ok());
  test::expect_damage_refused(sketch.encode(),
                              [](const std::string& bytes) { return CountMin::decode(bytes).ok(); });
  // Sizes that overflow when they are multiplied.
  ByteWriter out;
  out.put<std::uint64_t>(1);
  out.put<std::uint8_t>(4);
  out.put_varint(std::uint64_t{1} << 62U);
  out.put_varint(4);
  out.put_varint(0);
  out.put<std::uint8_t>(0);
  EXPECT_FALSE(CountMin::decode(write_frame(SketchKind::count_min, out.bytes())).ok());
}

}  // namespace
}  // namespace weir
