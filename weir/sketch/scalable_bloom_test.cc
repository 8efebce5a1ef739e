#include "weir/sketch/scalable_bloom.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hashes.h"

namespace weir {
namespace {

using Added = ScalableBloom::Added;

std::string value(int i) {
  return "value " + std::to_string(i);
}

ScalableBloom filter_of(const ScalableBloom::Options& options, int from, int to) {
  ScalableBloom filter = *ScalableBloom::make(options);
  for (int i = from; i < to; ++i) filter.add(value(i));
  return filter;
}

double measured_error(const ScalableBloom& filter) {
  int found = 0;
  for (int i = 0; i < 100'000; ++i) found += filter.contains("other " + std::to_string(i)) ? 1 : 0;
  return found / 100'000.0;
}

TEST(ScalableBloom, GrowsAndKeepsItsErrorRate) {
  const ScalableBloom filter = filter_of({.error = 0.01, .capacity = 100}, 0, 20'000);
  for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(filter.contains(value(i)));
  EXPECT_EQ(filter.layers(), 8U);
  EXPECT_EQ(filter.capacity(), 25'500U);
  EXPECT_LT(measured_error(filter), 0.01);
  EXPECT_NEAR(measured_error(filter), filter.error_rate(), 0.0015);
  // Those taken for contained were not counted.
  EXPECT_NEAR(static_cast<double>(filter.items()), 20'000, 300);
}

TEST(ScalableBloom, OneThatDoesNotScaleIsFull) {
  ScalableBloom filter = filter_of({.error = 0.01, .capacity = 100, .scales = false}, 0, 200);
  EXPECT_EQ(filter.items(), 100U);
  EXPECT_EQ(filter.add("one more"), Added::full);
  EXPECT_EQ(filter.add(value(0)), Added::known);
  EXPECT_EQ(filter.growth(), 0U);
}

TEST(ScalableBloom, StopsAtItsBytes) {
  ScalableBloom filter = filter_of({.error = 0.01, .capacity = 100, .most_bytes = 1000}, 0, 10'000);
  EXPECT_LE(filter.bytes(), 1000U);
  EXPECT_EQ(filter.add("one more"), Added::full);
  EXPECT_FALSE(ScalableBloom::make({.error = 0.01, .capacity = 1'000'000, .most_bytes = 1000}).ok());
  EXPECT_FALSE(ScalableBloom::make({.error = 0.01, .capacity = ~std::uint64_t{0}}).ok());
  for (const double error : {0.0, 1.0, -0.5, std::nan("")}) {
    EXPECT_FALSE(ScalableBloom::make({.error = error}).ok());
  }
  EXPECT_FALSE(ScalableBloom::make({.capacity = 0}).ok());
  EXPECT_FALSE(ScalableBloom::make({.growth = 0}).ok());
}

TEST(ScalableBloom, HasRedisBloomsHeaderAndBits) {
  ScalableBloom filter = *ScalableBloom::make({.error = 0.01, .capacity = 100});
  filter.add("foo");
  const DumpChunk header = filter.dump(0);
  EXPECT_EQ(header.next, 1U);
  ASSERT_EQ(header.bytes.size(), 20U + 53U);
  ByteReader in(header.bytes, "test");
  EXPECT_EQ(in.get<std::uint64_t>("size"), 1U);
  EXPECT_EQ(in.get<std::uint32_t>("filters"), 1U);
  EXPECT_EQ(in.get<std::uint32_t>("options"), 5U);
  EXPECT_EQ(in.get<std::uint32_t>("growth"), 2U);
  EXPECT_EQ(in.get<std::uint64_t>("bytes"), 144U);
  EXPECT_EQ(in.get<std::uint64_t>("bits"), 1152U);
  EXPECT_EQ(in.get<std::uint64_t>("size"), 1U);
  EXPECT_EQ(in.get<double>("error"), 0.005);
  EXPECT_NEAR(in.get<double>("bpe"), 11.0278, 1e-4);
  EXPECT_EQ(in.get<std::uint32_t>("hashes"), 8U);
  EXPECT_EQ(in.get<std::uint64_t>("entries"), 100U);
  EXPECT_EQ(in.get<std::uint8_t>("n2"), 0U);
  EXPECT_TRUE(in.finish().ok());
  std::string expected(144, '\0');
  const std::uint64_t a = murmur64a("foo", 0xC6A4A7935BD1E995);
  const std::uint64_t b = murmur64a("foo", a);
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t bit = (a + i * b) % 1152;
    expected[bit / 8] = static_cast<char>(expected[bit / 8] | 1 << bit % 8);
  }
  const DumpChunk data = filter.dump(1);
  EXPECT_EQ(data.next, 145U);
  EXPECT_EQ(data.bytes, expected);
  EXPECT_EQ(filter.dump(145).next, 0U);
  EXPECT_EQ(filter.dump(145).bytes, "");
  EXPECT_EQ(filter.dump(~std::uint64_t{0}).next, 0U);
}

TEST(ScalableBloom, ADumpIsLoadedInAnyChunks) {
  const ScalableBloom filter = filter_of({}, 0, 2000);
  Result<ScalableBloom> loaded = ScalableBloom::from_header(filter.dump(0).bytes, 1U << 20U);
  ASSERT_TRUE(loaded.ok());
  std::string data;
  for (DumpChunk chunk = filter.dump(1); chunk.next != 0; chunk = filter.dump(chunk.next))
    data += chunk.bytes;
  for (std::size_t at = 0; at < data.size(); at += 100) {
    const std::string part = data.substr(at, 100);
    ASSERT_TRUE(loaded->load(at + part.size() + 1, part).ok());
  }
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(loaded->contains(value(i)));
  for (DumpChunk a = filter.dump(0), b = loaded->dump(0); a.next != 0;
       a = filter.dump(a.next), b = loaded->dump(b.next)) {
    EXPECT_EQ(a.bytes, b.bytes);
  }
  EXPECT_FALSE(loaded->load(0, "x").ok());
  EXPECT_FALSE(loaded->load(1, "x").ok());
  EXPECT_FALSE(loaded->load(data.size() + 2, "x").ok());
  EXPECT_FALSE(loaded->load(~std::uint64_t{0}, "x").ok());
  EXPECT_TRUE(loaded->load(data.size() + 1, data).ok());
  EXPECT_FALSE(ScalableBloom::from_header(filter.dump(0).bytes, 100).ok());
}

TEST(ScalableBloom, AMergeContainsBoth) {
  ScalableBloom merged = filter_of({}, 0, 500);
  const ScalableBloom other = filter_of({}, 400, 3000);
  ASSERT_TRUE(merged.merge(other).ok());
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(merged.contains(value(i)));
  EXPECT_NEAR(measured_error(merged), merged.error_rate(), 0.0015);
  EXPECT_LT(merged.error_rate(), 0.02);
  EXPECT_GT(merged.layers(), other.layers());
  // One layer each: the same bits as a filter that saw both.
  ScalableBloom small = filter_of({}, 0, 40);
  ASSERT_TRUE(small.merge(filter_of({}, 40, 80)).ok());
  EXPECT_EQ(small.dump(1).bytes, filter_of({}, 0, 80).dump(1).bytes);
  ASSERT_TRUE(small.merge(small).ok());
  EXPECT_EQ(small.layers(), 2U);
  EXPECT_EQ(small.items(), 160U);
  EXPECT_EQ(small.add("new"), Added::fresh);
}

TEST(ScalableBloom, AMergeThatIsRefusedChangesNothing) {
  ScalableBloom filter = filter_of({}, 0, 500);
  const std::string before = filter.encode();
  EXPECT_FALSE(filter.merge(filter_of({.error = 0.02}, 0, 10)).ok());
  EXPECT_FALSE(filter.merge(filter_of({.capacity = 200}, 0, 10)).ok());
  EXPECT_FALSE(filter.merge(filter_of({.growth = 3}, 0, 10)).ok());
  EXPECT_FALSE(filter.merge(filter_of({.scales = false}, 0, 10)).ok());
  ScalableBloom doubled = filter;
  int merges = 0;
  while (doubled.merge(filter).ok()) ++merges;
  EXPECT_LE(doubled.layers(), 64U);
  EXPECT_GT(merges, 10);
  EXPECT_EQ(filter.encode(), before);
}

TEST(ScalableBloom, ABatchIsOneAfterAnother) {
  const std::array<std::string_view, 3> values = {"a", "b", "a"};
  std::array<Added, 3> added{};
  std::array<bool, 3> found{};
  ScalableBloom filter = *ScalableBloom::make({});
  filter.add(values, added);
  EXPECT_EQ(added, (std::array{Added::fresh, Added::fresh, Added::known}));
  filter.contains(values, found);
  EXPECT_TRUE(found[0] && found[1] && found[2]);
}

TEST(ScalableBloom, DamageIsRefused) {
  const ScalableBloom filter = filter_of({.capacity = 10}, 0, 25);
  const Result<ScalableBloom> read = ScalableBloom::decode(filter.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->encode(), filter.encode());
  test::expect_damage_refused(filter.encode(),
                              [](const std::string& bytes) { return ScalableBloom::decode(bytes).ok(); });
  test::expect_damage_survived(filter.dump(0).bytes, [](const std::string& bytes) {
    Result<ScalableBloom> loaded = ScalableBloom::from_header(bytes, 1U << 20U);
    if (!loaded) return false;
    for (int i = 0; i < 30; ++i) loaded->add(value(i));
    return loaded->bytes() <= 1U << 20U;
  });
}

}  // namespace
}  // namespace weir
