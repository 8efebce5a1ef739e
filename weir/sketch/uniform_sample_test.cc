#include "weir/sketch/uniform_sample.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "tests/support/sampling.h"

namespace weir {
namespace {

using test::Inclusions;
using Numbers = UniformSample<std::uint64_t>;

constexpr std::size_t kRecords = 20;
constexpr std::size_t kKept = 5;
constexpr std::uint64_t kRuns = 40'000;
constexpr double kChiSquare19 = 43.8;  // 99.9 % of 19 degrees of freedom
constexpr double kWorstOf190 = 4.8;    // 99.97 % of 190 normal ones

Numbers sample_of(std::uint64_t from, std::uint64_t to, std::uint64_t stream, std::uint64_t k = kKept) {
  Numbers sample(k, kFixedSeed, stream);
  for (std::uint64_t i = from; i < to; ++i) sample.add(i);
  return sample;
}

void expect_fair(const Inclusions& counts) {
  EXPECT_LT(counts.chi_square(), kChiSquare19);
  EXPECT_LT(counts.worst_pair(), kWorstOf190);
}

std::vector<std::uint64_t> values_of(const Numbers& sample) {
  std::vector<std::uint64_t> values;
  for (const auto& item : sample.in_order()) values.push_back(item.value);
  return values;
}

TEST(UniformSample, IsFair) {
  Inclusions counts(kRecords, kKept);
  for (std::uint64_t run = 0; run < kRuns; ++run) counts.add(sample_of(0, kRecords, run).items());
  expect_fair(counts);
}

/// Algorithm R (Vitter, 1985), which draws for every record: what the fast one must be like.
TEST(UniformSample, AlgorithmRPassesTheSameTestAndOneThatIsOffByOneDoesNot) {
  Random random(1);
  const auto run = [&random](std::uint64_t off) {
    std::vector<Sampled<int>> kept;
    for (std::uint64_t i = 0; i < kRecords; ++i) {
      const std::uint64_t slot = i < kKept ? i : random.below(i + 1 - off);
      if (i < kKept) {
        kept.push_back({i, 0});
      } else if (slot < kKept) {
        kept[slot] = {i, 0};
      }
    }
    return kept;
  };
  Inclusions right(kRecords, kKept);
  Inclusions wrong(kRecords, kKept);
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    right.add(run(0));
    wrong.add(run(1));
  }
  expect_fair(right);
  EXPECT_GT(wrong.chi_square(), kChiSquare19);
}

TEST(UniformSample, OneOfFour) {
  std::array<int, 4> counts{};
  for (std::uint64_t run = 0; run < 40'000; ++run) {
    const Numbers sample = sample_of(0, 4, run, 1);
    ++counts.at(sample.items().front().value);
  }
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 390);  // 4.5 deviations
}

TEST(UniformSample, IsFairOverALongStream) {
  std::array<double, 10> tenths{};
  constexpr std::uint64_t kLong = 1'000'000;
  for (std::uint64_t run = 0; run < 200; ++run) {
    Numbers sample(50, kFixedSeed, run);
    std::vector<std::uint64_t> block(1000);
    for (std::uint64_t at = 0; at < kLong; at += block.size()) {
      std::iota(block.begin(), block.end(), at);
      sample.add(std::span<const std::uint64_t>(block));
    }
    for (const auto& item : sample.items()) ++tenths.at(item.value / (kLong / 10));
  }
  double chi_square = 0;
  for (const double count : tenths) chi_square += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi_square, 27.9);  // 99.9 % of 9 degrees of freedom
}

TEST(UniformSample, IsFairAfterMerges) {
  Inclusions counts(kRecords, kKept);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Numbers all = sample_of(0, 7, 4 * run);
    ASSERT_TRUE(all.merge(sample_of(7, 8, 4 * run + 1)).ok());
    ASSERT_TRUE(all.merge(sample_of(8, 20, 4 * run + 2)).ok());
    ASSERT_TRUE(all.merge(Numbers(kKept, kFixedSeed, 4 * run + 3)).ok());
    EXPECT_EQ(all.seen(), kRecords);
    counts.add(all.items());
  }
  expect_fair(counts);
}

TEST(UniformSample, GoesOnFairlyAfterAMerge) {
  Inclusions counts(kRecords, kKept);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    Numbers all = sample_of(0, 5, 2 * run);
    ASSERT_TRUE(all.merge(sample_of(5, 8, 2 * run + 1)).ok());
    for (std::uint64_t i = 8; i < kRecords; ++i) all.add(i);
    counts.add(all.items());
  }
  expect_fair(counts);
}

/// Two halves that drew from the same seed and stream, each told its own word, merged.
Inclusions halves_of_one_stream(std::uint64_t first_word, std::uint64_t second_word) {
  Inclusions counts(kRecords, kKept);
  constexpr std::uint64_t kHalf = kRecords / 2;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const auto half = [&](std::uint64_t from, std::uint64_t word) {
      Numbers sample(kKept, kFixedSeed, run);
      sample.stir(word);
      for (std::uint64_t i = from; i < from + kHalf; ++i) sample.add(i);
      return sample;
    };
    Numbers all = half(0, first_word);
    EXPECT_TRUE(all.merge(half(kHalf, second_word)).ok());
    counts.add(all.items());
  }
  return counts;
}

TEST(UniformSample, PartsOfOneStreamThatWereStirredApartMergeFairly) {
  expect_fair(halves_of_one_stream(1, 2));
  // Of parts that were not, the same places are kept: fair for each record, and not for pairs.
  const Inclusions same = halves_of_one_stream(1, 1);
  EXPECT_LT(same.chi_square(), kChiSquare19);
  EXPECT_GT(same.worst_pair(), kWorstOf190);
}

TEST(UniformSample, FewerThanItHoldsAreAllKeptInOrder) {
  const std::vector<std::uint64_t> expected = {0, 1, 2, 3};
  EXPECT_EQ(values_of(sample_of(0, 4, 0, 10)), expected);
  EXPECT_EQ(values_of(sample_of(0, 4, 0, 4)), expected);
  Numbers merged = sample_of(0, 2, 0, 4);
  ASSERT_TRUE(merged.merge(sample_of(2, 4, 1, 4)).ok());
  EXPECT_EQ(values_of(merged), expected);
}

TEST(UniformSample, OfNothingAndOfNone) {
  EXPECT_TRUE(sample_of(0, 100, 0, 0).items().empty());
  EXPECT_EQ(sample_of(0, 100, 0, 0).seen(), 100U);
  EXPECT_TRUE(Numbers(5).items().empty());
  EXPECT_EQ(Numbers(0).next_wanted(), UniformDraw::kNever);
  Numbers none = sample_of(0, 100, 0, 0);
  ASSERT_TRUE(none.merge(sample_of(0, 10, 0, 0)).ok());
  EXPECT_EQ(none.seen(), 110U);
}

TEST(UniformSample, KeepsDuplicates) {
  UniformSample<std::string> sample(3);
  for (int i = 0; i < 10; ++i) sample.add("same");
  EXPECT_EQ(sample.items().size(), 3U);
}

TEST(UniformSample, SingleBatchAndSkippingGiveTheSame) {
  std::vector<std::uint64_t> values(10'000);
  std::iota(values.begin(), values.end(), 0);
  const Numbers single = sample_of(0, values.size(), 0, 7);
  Numbers batch(7);
  for (std::size_t at = 0, step = 0; at < values.size(); at += step) {
    step = std::min<std::size_t>(at % 97, values.size() - at) + (at % 97 == 0 ? 1 : 0);
    batch.add(std::span<const std::uint64_t>(values).subspan(at, step));
  }
  Numbers skipping(7);
  while (skipping.next_wanted() < values.size()) {
    skipping.skip(skipping.next_wanted() - skipping.seen());
    EXPECT_TRUE(skipping.add(values[skipping.seen()]));
  }
  skipping.skip(values.size() - skipping.seen());
  EXPECT_EQ(single.encode(), batch.encode());
  EXPECT_EQ(single.encode(), skipping.encode());
  EXPECT_NE(values_of(single), values_of(sample_of(0, values.size(), 1, 7)));
}

TEST(UniformSample, AMergeThatIsRefusedChangesNothing) {
  Numbers sample = sample_of(0, 100, 0);
  const std::string before = sample.encode();
  EXPECT_EQ(sample.merge(Numbers(kKept, Seed{1})).error().message,
            "uniform sample: can't merge: the seed is 2003134834 here and 1 there");
  EXPECT_FALSE(sample.merge(sample_of(0, 10, 0, 6)).ok());
  Numbers huge(kKept);
  while (huge.seen() < kMostRecords) {
    huge.skip(huge.next_wanted() - huge.seen());
    if (huge.seen() < kMostRecords) huge.add(1);
  }
  EXPECT_FALSE(sample.merge(huge).ok());
  EXPECT_EQ(sample.encode(), before);
}

TEST(UniformSample, TheSourceOfAMergeStays) {
  Numbers sample = sample_of(0, 100, 0);
  const Numbers source = sample_of(0, 100, 1);
  const std::string before = source.encode();
  ASSERT_TRUE(sample.merge(source).ok());
  EXPECT_EQ(source.encode(), before);
}

TEST(UniformSample, GoesOnFromAFileAsItWould) {
  for (const std::uint64_t count : {0U, 3U, 5U, 1000U}) {
    Numbers sample = sample_of(0, count, 0);
    Result<Numbers> read = Numbers::decode(sample.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    for (std::uint64_t i = count; i < count + 1000; ++i) {
      sample.add(i);
      read->add(i);
    }
    EXPECT_EQ(read->encode(), sample.encode());
  }
}

TEST(UniformSample, DamageIsRefused) {
  UniformSample<std::string> sample(3);
  for (int i = 0; i < 100; ++i) sample.add("record " + std::to_string(i));
  test::expect_damage_refused(sample.encode(), [](const std::string& bytes) {
    return UniformSample<std::string>::decode(bytes).ok();
  });
}

TEST(UniformSample, WhatIsWrongInsideAFrameIsRefused) {
  // Every byte of the payload changed, under a checksum that fits: refused or a sample that can go on.
  const std::string frame = sample_of(0, 100, 0).encode();
  const std::string payload(*read_frame(frame, SketchKind::uniform_sample));
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    std::string changed = payload;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    Result<Numbers> read = Numbers::decode(write_frame(SketchKind::uniform_sample, changed));
    if (!read) continue;
    EXPECT_LE(read->items().size(), read->capacity());
    for (std::uint64_t i = 0; i < 100; ++i) read->add(i);
    read->merge(sample_of(0, 100, 1)).ok();
  }
}

TEST(UniformSample, ASharesIntervalHoldsItAsOftenAsItSays) {
  int held = 0;
  for (std::uint64_t run = 0; run < 1000; ++run) {
    const Numbers sample = sample_of(0, 1000, run, 100);
    const Estimate share = sample.share([](std::uint64_t value) { return value % 10 < 3; });
    held += share.low <= 0.3 && 0.3 <= share.high ? 1 : 0;
  }
  EXPECT_GE(held, 950);
  const Estimate all = sample_of(0, 100, 0, 100).share([](std::uint64_t value) { return value < 25; });
  EXPECT_EQ(all.low, 0.25);
  EXPECT_EQ(all.high, 0.25);
  EXPECT_EQ(Numbers(5).share([](std::uint64_t) { return true; }).high, 1);
  EXPECT_EQ(suggest_sample_size(0.01), 18445U);
}

}  // namespace
}  // namespace weir
