#include "weir/sketch/hashes.h"

#include <array>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "weir/sketch/random.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

std::string_view bytes_of(const std::uint64_t& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(Hashes, AreThoseThatOthersCompute) {
  // Published vectors: the reference implementations' and python's mmh3 and xxhash.
  EXPECT_EQ(murmur3_x64_128("", 0), (Hash128{0, 0}));
  EXPECT_EQ(murmur3_x64_128("The quick brown fox jumps over the lazy dog", 0),
            (Hash128{0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347}));
  EXPECT_EQ(xxh64("", 0), 0xEF46DB3751D8E999);
  EXPECT_EQ(xxh64("abc", 0), 0x44BC2CF5AD770999);
}

TEST(Hashes, TheSeedHashOfDataSketches) {
  EXPECT_EQ(murmur3_x64_128(std::uint64_t{9001}, 0).low & 0xFFFFU, 0x93CCU);
}

TEST(Hashes, RedisFindsTheRegistersOfItsGoldenString) {
  // PFADD h a b c sets the registers 8436, 12711 and 15780.
  std::set<std::uint64_t> registers;
  for (const std::string_view word : {"a", "b", "c"}) registers.insert(murmur64a(word, 0xADC83B19) & 0x3FFFU);
  EXPECT_EQ(registers, (std::set<std::uint64_t>{8436, 12711, 15780}));
}

TEST(Hashes, OfANumberAreThoseOfItsBytes) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = random.next();
    EXPECT_EQ(murmur3_x64_128(value, 9001), murmur3_x64_128(bytes_of(value), 9001));
    EXPECT_EQ(xxh64(value, 77), xxh64(bytes_of(value), 77));
  }
}

TEST(SeededHash, DependsOnTheSeed) {
  const SeededHash a(Seed{1});
  const SeededHash again(Seed{1});
  const SeededHash b(Seed{2});
  EXPECT_EQ(a("weir"), again("weir"));
  EXPECT_EQ(a(std::uint64_t{5}), again(std::uint64_t{5}));
  EXPECT_NE(a("weir"), b("weir"));
  EXPECT_NE(a(std::uint64_t{5}), b(std::uint64_t{5}));
}

TEST(SeededHash, EveryBitOfANumberReachesEveryBitOfItsHash) {
  const SeededHash hash(kFixedSeed);
  std::array<std::array<int, 64>, 64> flips{};
  constexpr int kTries = 4000;
  for (int i = 0; i < kTries; ++i) {
    const auto value = static_cast<std::uint64_t>(i);
    for (unsigned in = 0; in < 64; ++in) {
      const std::uint64_t changed = hash(value) ^ hash(value ^ (std::uint64_t{1} << in));
      for (unsigned out = 0; out < 64; ++out) flips[in][out] += static_cast<int>(changed >> out & 1U);
    }
  }
  for (const auto& row : flips) {
    for (const int count : row) EXPECT_NEAR(count, kTries / 2, kTries / 10);
  }
}

TEST(Random, IsXoshiro256PlusPlus) {
  // The reference implementation's first numbers from the state 1, 2, 3, 4.
  Random random(Random::State{1, 2, 3, 4});
  EXPECT_EQ(random.next(), 41943041U);
  EXPECT_EQ(random.next(), 58720359U);
  EXPECT_EQ(random.next(), 3588806011781223U);
  EXPECT_NE(Random(Random::State{}).next(), 0U);
}

TEST(Random, BelowIsUniform) {
  Random random(3);
  std::array<double, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts[random.below(6)];
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - 10000) * (count - 10000) / 10000;
  EXPECT_LT(chi_square, 20.5);  // 99.9 % of 5 degrees of freedom
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, MomentsAreAsTheyShould) {
  Random random(4);
  constexpr int kDraws = 200000;
  double exponential = 0;
  double normal = 0;
  double square = 0;
  double gamma = 0;
  for (int i = 0; i < kDraws; ++i) {
    exponential += random.exponential();
    const double x = random.normal();
    normal += x;
    square += x * x;
    gamma += random.gamma(7);
    const double unit = random.unit();
    ASSERT_TRUE(unit > 0 && unit <= 1);
  }
  // Within 4.5 deviations of the mean.
  EXPECT_NEAR(exponential / kDraws, 1, 0.0101);
  EXPECT_NEAR(normal / kDraws, 0, 0.0101);
  EXPECT_NEAR(square / kDraws, 1, 0.0143);
  EXPECT_NEAR(gamma / kDraws, 7, 0.0267);
}

TEST(Seed, DifferentOnesAreNamed) {
  EXPECT_TRUE(check_same_seed(Seed{1}, Seed{1}, "test").ok());
  EXPECT_EQ(check_same_seed(Seed{1}, Seed{2}, "test").error().message,
            "test: can't merge: the seed is 1 here and 2 there");
  EXPECT_NE(random_seed(), random_seed());
}

}  // namespace
}  // namespace weir
