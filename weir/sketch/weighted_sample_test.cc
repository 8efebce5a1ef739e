#include "weir/sketch/weighted_sample.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "tests/support/sampling.h"
#include "weir/sketch/decayed_sample.h"

namespace weir {
namespace {

using test::Inclusions;
using Weighted = WeightedSample<int>;
using Decayed = DecayedSample<int>;

constexpr std::array<double, 6> kWeights = {1, 4, 2, 16, 1, 8};
constexpr std::uint64_t kRuns = 60'000;
constexpr double kChiSquare14 = 36.1;  // 99.9 % of 14 degrees of freedom

/// That a draw of two without replacement gives {i, j}.
double chance(std::size_t i, std::size_t j) {
  double all = 0;
  for (const double weight : kWeights) all += weight;
  const double a = kWeights.at(i);
  const double b = kWeights.at(j);
  return a / all * b / (all - a) + b / all * a / (all - b);
}

double chi_square_of(const Inclusions& counts) {
  return counts.chi_square_of_pairs(chance);
}

TEST(WeightedSample, KeepsPairsAsOftenAsTheirWeightsSay) {
  // Also with weights whose sum, or whose thresholds, no double holds.
  for (const double scale : {1.0, 1e306, 1e-300}) {
    Inclusions counts(kWeights.size(), 2);
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      Weighted sample(2, kFixedSeed, run);
      for (const double weight : kWeights) sample.add(0, weight * scale);
      counts.add(sample.items());
    }
    EXPECT_LT(chi_square_of(counts), kChiSquare14) << scale;
  }
}

TEST(WeightedSample, KeepsThemSoAfterMerges) {
  Inclusions counts(kWeights.size(), 2);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Weighted sample(2, kFixedSeed, 2 * run);
    Weighted other(2, kFixedSeed, 2 * run + 1);
    for (std::size_t i = 0; i < 5; ++i) (i < 1 ? sample : other).add(0, kWeights.at(i));
    ASSERT_TRUE(sample.merge(other).ok());
    sample.add(0, kWeights[5]);
    counts.add(sample.items());
  }
  EXPECT_LT(chi_square_of(counts), kChiSquare14);
}

TEST(WeightedSample, EqualWeightsAreAUniformSample) {
  Inclusions counts(20, 5);
  for (std::uint64_t run = 0; run < 40'000; ++run) {
    Weighted sample(5, kFixedSeed, run);
    for (int i = 0; i < 20; ++i) sample.add(i, 3);
    counts.add(sample.items());
  }
  EXPECT_LT(counts.chi_square(), 43.8);
  EXPECT_LT(counts.worst_pair(), 4.8);
}

/// Two halves of ten that drew from the same seed and stream, each told its own word, merged.
template <class Make>
Inclusions halves_of_one_stream(Make make) {
  Inclusions counts(20, 5);
  for (std::uint64_t run = 0; run < 40'000; ++run) {
    auto all = make(run, 1);
    EXPECT_TRUE(all.merge(make(run, 2)).ok());
    counts.add(all.items());
  }
  return counts;
}

TEST(WeightedSample, PartsOfOneStreamThatWereStirredApartMergeFairly) {
  const Inclusions weighted = halves_of_one_stream([](std::uint64_t run, std::uint64_t word) {
    Weighted sample(5, kFixedSeed, run);
    sample.stir(word);
    for (int i = 0; i < 10; ++i) sample.add(i, 3);
    return sample;
  });
  EXPECT_LT(weighted.chi_square(), 43.8);
  EXPECT_LT(weighted.worst_pair(), 4.8);
  const Inclusions decayed = halves_of_one_stream([](std::uint64_t run, std::uint64_t word) {
    Decayed sample(5, kHour, kFixedSeed, run);
    sample.stir(word);
    for (int i = 0; i < 10; ++i) sample.add(i, kSecond);
    return sample;
  });
  EXPECT_LT(decayed.chi_square(), 43.8);
  EXPECT_LT(decayed.worst_pair(), 4.8);
}

TEST(WeightedSample, BadWeightsAreCountedAndSkipped) {
  Weighted sample(5);
  for (const double bad : {0.0, -0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(sample.add(1, bad));
  }
  EXPECT_EQ(sample.bad(), 6U);
  EXPECT_EQ(sample.seen(), 0U);
  EXPECT_TRUE(sample.add(1, std::numeric_limits<double>::denorm_min()));
  EXPECT_TRUE(sample.add(2, std::numeric_limits<double>::max()));
  EXPECT_EQ(sample.items().size(), 2U);
}

TEST(WeightedSample, NoneAndAll) {
  Weighted none(0);
  EXPECT_FALSE(none.add(1, 1e308));
  EXPECT_TRUE(none.items().empty());
  ASSERT_TRUE(none.merge(none).ok());
  Weighted all(10);
  for (int i = 0; i < 5; ++i) all.add(i, i + 1);
  int expected = 0;
  for (const auto& item : all.in_order()) {
    EXPECT_EQ(item.weight, expected + 1);
    EXPECT_EQ(item.value, expected++);
  }
}

TEST(WeightedSample, TheOrderOfMergesDoesNotMatterForWhatIsKept) {
  const auto part = [](std::uint64_t stream) {
    Weighted sample(10, kFixedSeed, stream);
    for (int i = 0; i < 100; ++i) sample.add(i, 1 + i % 7);
    return sample;
  };
  Weighted left = part(1);
  ASSERT_TRUE(left.merge(part(2)).ok());
  ASSERT_TRUE(left.merge(part(3)).ok());
  Weighted right = part(2);
  ASSERT_TRUE(right.merge(part(3)).ok());
  Weighted all = part(1);
  ASSERT_TRUE(all.merge(right).ok());
  const auto a = left.in_order();
  const auto b = all.in_order();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].key, b[i].key);
  }
}

TEST(WeightedSample, AMergeThatIsRefusedChangesNothing) {
  Weighted sample(3);
  for (int i = 0; i < 10; ++i) sample.add(i, 1);
  const std::string before = sample.encode();
  EXPECT_FALSE(sample.merge(Weighted(4)).ok());
  EXPECT_FALSE(sample.merge(Weighted(3, Seed{9})).ok());
  EXPECT_EQ(sample.encode(), before);
}

TEST(WeightedSample, GoesOnFromAFileAsItWould) {
  for (const int count : {0, 2, 3, 500}) {
    Weighted sample(3);
    for (int i = 0; i < count; ++i) sample.add(i, 1 + i % 5);
    Result<Weighted> read = Weighted::decode(sample.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    for (int i = 0; i < 500; ++i) {
      sample.add(i, 2);
      read->add(i, 2);
    }
    EXPECT_EQ(read->encode(), sample.encode());
  }
}

TEST(WeightedSample, DamageIsRefused) {
  WeightedSample<std::string> sample(3);
  for (int i = 0; i < 50; ++i) sample.add("record " + std::to_string(i), 1 + i);
  test::expect_damage_refused(sample.encode(), [](const std::string& bytes) {
    return WeightedSample<std::string>::decode(bytes).ok();
  });
}

TEST(WeightedSample, WhatIsWrongInsideAFrameIsRefused) {
  Weighted sample(3);
  for (int i = 0; i < 50; ++i) sample.add(i, 1);
  const std::string frame = sample.encode();
  const std::string payload(*read_frame(frame, SketchKind::weighted_sample));
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    std::string changed = payload;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    Result<Weighted> read = Weighted::decode(write_frame(SketchKind::weighted_sample, changed));
    if (!read) continue;
    EXPECT_LE(read->items().size(), read->capacity());
    for (int i = 0; i < 100; ++i) read->add(i, 1);
    read->merge(sample).ok();
  }
}

// ---- Decayed ----

/// A time at which a record's weight is `weight` times one of time 0, when a second halves it.
Nanos time_of(double weight) {
  return static_cast<Nanos>(std::log2(weight)) * kSecond;
}

TEST(DecayedSample, KeepsPairsAsOftenAsTheirAgesSay) {
  for (const Nanos start : {Nanos{0}, 1'700'000'000 * kSecond, -9'000'000'000 * kSecond}) {
    Inclusions counts(kWeights.size(), 2);
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      Decayed sample(2, kSecond, kFixedSeed, run);
      for (const double weight : kWeights) sample.add(0, start + time_of(weight));
      counts.add(sample.items());
    }
    EXPECT_LT(chi_square_of(counts), kChiSquare14) << start;
  }
}

TEST(DecayedSample, KeepsThemSoAfterMerges) {
  Inclusions counts(kWeights.size(), 2);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Decayed sample(2, kSecond, kFixedSeed, 2 * run);
    Decayed other(2, kSecond, kFixedSeed, 2 * run + 1);
    for (std::size_t i = 0; i < 5; ++i) (i < 2 ? sample : other).add(0, time_of(kWeights.at(i)));
    ASSERT_TRUE(sample.merge(other).ok());
    // Half as heavy by itself and twice as heavy by its age.
    sample.add(0, time_of(2 * kWeights[5]), 0.5);
    counts.add(sample.items());
  }
  EXPECT_LT(chi_square_of(counts), kChiSquare14);
}

TEST(DecayedSample, LongAfterOnlyTheNewAreLeft) {
  Decayed sample(3, 1);
  const Nanos first = std::numeric_limits<Nanos>::min();
  for (int i = 0; i < 10; ++i) sample.add(i, first);
  for (int i = 10; i < 13; ++i) sample.add(i, std::numeric_limits<Nanos>::max());
  for (int i = 13; i < 20; ++i) sample.add(i, 0);
  int expected = 10;
  for (const auto& item : sample.in_order()) EXPECT_EQ(item.value, expected++);
}

TEST(DecayedSample, GoesOnFromAFileAsItWould) {
  for (const int count : {0, 2, 3, 500}) {
    Decayed sample(3, kMinute);
    for (int i = 0; i < count; ++i) sample.add(i, i * kSecond);
    Result<Decayed> read = Decayed::decode(sample.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    for (int i = 0; i < 500; ++i) {
      sample.add(i, (count + i) * kSecond);
      read->add(i, (count + i) * kSecond);
    }
    EXPECT_EQ(read->encode(), sample.encode());
  }
}

TEST(DecayedSample, OtherHalfLivesAreRefused) {
  Decayed sample(3, kMinute);
  sample.add(1, 0);
  const std::string before = sample.encode();
  EXPECT_FALSE(sample.merge(Decayed(3, kSecond)).ok());
  EXPECT_FALSE(sample.merge(Decayed(2, kMinute)).ok());
  EXPECT_EQ(sample.encode(), before);
  EXPECT_FALSE(sample.add(1, 0, -1));
  EXPECT_EQ(sample.bad(), 1U);
}

TEST(DecayedSample, DamageIsRefused) {
  Decayed sample(3, kMinute);
  for (int i = 0; i < 50; ++i) sample.add(i, i * kSecond);
  const std::string frame = sample.encode();
  test::expect_damage_refused(frame, [](const std::string& bytes) { return Decayed::decode(bytes).ok(); });
  const std::string payload(*read_frame(frame, SketchKind::decayed_sample));
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    std::string changed = payload;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    Result<Decayed> read = Decayed::decode(write_frame(SketchKind::decayed_sample, changed));
    if (!read) continue;
    for (int i = 0; i < 100; ++i) read->add(i, i);
    read->merge(sample).ok();
  }
}

}  // namespace
}  // namespace weir
