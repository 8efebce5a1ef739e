#include "weir/sketch/hll.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

Hll make(unsigned lg_k, HllForm form, std::uint64_t from, std::uint64_t to) {
  Hll hll = *Hll::create(lg_k, form);
  for (std::uint64_t i = from; i < to; ++i) hll.add(i);
  return hll;
}

/// Coupons of a set that was packed come back in an order of their own, in DataSketches too.
std::vector<std::string> sorted_words(const std::string& bytes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < bytes.size(); i += 4) words.push_back(bytes.substr(i, 4));
  if (bytes[7] % 4 == 1) std::sort(words.begin() + 3, words.end());
  return words;
}

constexpr HllForm kForms[] = {HllForm::hll4, HllForm::hll6, HllForm::hll8};
constexpr const char* kNames[] = {"hll4", "hll6", "hll8"};

TEST(Hll, GoldenFilesHaveTheRightCountsAndAreWrittenAlike) {
  if (!golden("hll8_n0.sk")) GTEST_SKIP() << "there is no " << golden_path("hll8_n0.sk");
  for (std::size_t f = 0; f < 3; ++f) {
    for (const std::uint64_t n : {0U, 1U, 10U, 1'000U, 100'000U}) {
      const std::string name = kNames[f] + std::string("_n") + std::to_string(n) + ".sk";
      const std::string bytes = *golden(name);
      const Result<Hll> read = Hll::from_datasketches(bytes);
      ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
      EXPECT_EQ(read->form(), kForms[f]);
      EXPECT_NEAR(read->estimate().value, static_cast<double>(n), 0.03 * static_cast<double>(n)) << name;
      EXPECT_EQ(sorted_words(read->to_datasketches()), sorted_words(bytes)) << name;
      EXPECT_EQ(make(12, kForms[f], 0, n).to_datasketches(), bytes) << name;
    }
  }
}

TEST(Hll, NothingIsZeroAndOneIsOne) {
  for (const HllForm form : kForms) {
    const Hll none = make(12, form, 0, 0);
    EXPECT_EQ(none.estimate().value, 0);
    EXPECT_EQ(none.estimate().high, 0);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(make(4, form, 7, 8).estimate().value, 1);
    EXPECT_EQ(make(21, form, 7, 8).estimate().value, 1);
  }
}

TEST(Hll, LinearRangeIsAsClaimed) {  // F82
  const Hll hll = make(14, HllForm::hll8, 0, 991);
  EXPECT_GE(hll.estimate().value, 969);
  EXPECT_LE(hll.estimate().value, 1'013);
}

TEST(Hll, ValuesThatAreTheSameCountOnce) {
  Hll hll = *Hll::create(12, HllForm::hll8);
  for (int i = 0; i < 1'000; ++i) {
    hll.add("mira");
    hll.add("");
    hll.add_real(0.0);
    hll.add_real(-0.0);
    hll.add_real(std::nan("1"));
    hll.add_real(-std::nan("2"));
  }
  EXPECT_EQ(std::round(hll.estimate().value), 3);
}

TEST(Hll, BatchIsTheSameAsOneByOne) {
  std::vector<std::uint64_t> values(5'000);
  Random random(5);
  for (std::uint64_t& value : values) value = random.next();
  Hll one = *Hll::create(10, HllForm::hll4);
  Hll batch = one;
  for (const std::uint64_t value : values) one.add(value);
  batch.add(values);
  EXPECT_EQ(one.to_datasketches(), batch.to_datasketches());
  const std::vector<std::string_view> texts{"a", "", "b", "a"};
  for (const std::string_view text : texts) one.add(text);
  batch.add(std::span<const std::string_view>(texts));
  EXPECT_EQ(one.to_datasketches(), batch.to_datasketches());
}

/// Bias and deviation over many streams, from 1 to 10^6 on a log grid, across list, set and registers.
TEST(Hll, ErrorIsAsClaimedAcrossAllBorders) {
  constexpr unsigned kLgK = 11;
  constexpr int kRuns = 60;
  const std::vector<std::uint64_t> grid{1,     2,      5,      7,       8,       9,        24,    25,
                                        100,   191,    192,    193,     200,     500,      1'000, 2'000,
                                        5'000, 10'000, 30'000, 100'000, 300'000, 1'000'000};
  std::vector<double> sum(grid.size());
  std::vector<double> squares(grid.size());
  std::vector<double> merged_sum(grid.size());
  std::vector<double> merged_squares(grid.size());
  for (int run = 0; run < kRuns; ++run) {
    Hll hll = *Hll::create(kLgK, HllForm::hll8);
    Hll halves[2] = {hll, hll};
    std::uint64_t next = static_cast<std::uint64_t>(run) << 32U;
    std::uint64_t seen = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; seen < grid[g]; ++seen, ++next) {
        hll.add(next);
        halves[seen % 2].add(next);
      }
      const auto truth = static_cast<double>(grid[g]);
      const double error = hll.estimate().value / truth - 1;
      sum[g] += error;
      squares[g] += error * error;
      Hll merged = halves[0];
      ASSERT_TRUE(merged.merge(halves[1]).ok());
      const double merged_error = merged.estimate().value / truth - 1;
      merged_sum[g] += merged_error;
      merged_squares[g] += merged_error * merged_error;
    }
  }
  const double one_stream = 0.833 / std::sqrt(2'048);
  const double after_merge = 1.04 / std::sqrt(2'048);
  for (std::size_t g = 0; g < grid.size(); ++g) {
    // Four deviations of a mean of 60, and of a root mean square of 60 (1 + 4/sqrt(120)).
    EXPECT_LE(std::abs(sum[g] / kRuns), 4 * one_stream / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(squares[g] / kRuns), one_stream * 1.37) << grid[g];
    EXPECT_LE(std::abs(merged_sum[g] / kRuns), 4 * after_merge / std::sqrt(kRuns)) << grid[g];
    EXPECT_LE(std::sqrt(merged_squares[g] / kRuns), after_merge * 1.37) << grid[g];
  }
}

TEST(Hll, IntervalHoldsTheTruthAsOftenAsItSays) {
  int held = 0;
  constexpr int kRuns = 400;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const Estimate estimate = make(8, HllForm::hll6, run << 32U, (run << 32U) + 5'000).estimate(0.9);
    held += estimate.low <= 5'000 && 5'000 <= estimate.high ? 1 : 0;
  }
  EXPECT_GE(held, 336);  // 360 - 4 deviations of 6
}

TEST(Hll, MergeHasSeenBoth) {  // F81
  for (const HllForm form : kForms) {
    for (const std::uint64_t n : {3U, 100U, 3'000U, 200'000U}) {
      const Hll a = make(11, form, 0, n);
      const Hll b = make(11, HllForm::hll8, n / 2, n * 2);
      Hll ab = a;
      Hll ba = b;
      ASSERT_TRUE(ab.merge(b).ok());
      ASSERT_TRUE(ba.merge(a).ok());
      EXPECT_NEAR(ab.estimate().value, static_cast<double>(2 * n), 0.08 * static_cast<double>(2 * n));
      EXPECT_EQ(ab.estimate().value, ba.estimate().value) << n;
      Hll again = ab;
      ASSERT_TRUE(again.merge(ab).ok());
      ASSERT_TRUE(again.merge(b).ok());
      EXPECT_NEAR(again.estimate().value, ab.estimate().value, 0.05 * static_cast<double>(n));
      EXPECT_EQ(ab.form(), form);
      EXPECT_EQ(b.to_datasketches(), make(11, HllForm::hll8, n / 2, n * 2).to_datasketches());
    }
  }
}

TEST(Hll, MergedRegistersAreThoseOfOneThatSawBoth) {
  Hll merged = make(10, HllForm::hll8, 0, 20'000);
  ASSERT_TRUE(merged.merge(make(10, HllForm::hll8, 10'000, 40'000)).ok());
  const std::string one = make(10, HllForm::hll8, 0, 40'000).to_datasketches();
  const std::string both = merged.to_datasketches();
  ASSERT_EQ(one.size(), both.size());
  EXPECT_EQ(both.substr(16), one.substr(16));  // all but the flags and the sum of HIP
}

TEST(Hll, OtherParametersAreRefusedAndChangeNothing) {
  Hll a = make(11, HllForm::hll8, 0, 1'000);
  const std::string before = a.to_datasketches();
  const Status merged = a.merge(make(12, HllForm::hll8, 0, 10));
  ASSERT_FALSE(merged.ok());
  EXPECT_EQ(merged.error().message, "HyperLogLog: can't merge: lg_k is 11 here and 12 there");
  EXPECT_EQ(a.to_datasketches(), before);
  EXPECT_FALSE(Hll::create(3, HllForm::hll8).ok());
  EXPECT_FALSE(Hll::create(22, HllForm::hll8).ok());
}

TEST(Hll, SuggestsTheSmallestThatDoes) {
  EXPECT_EQ(*Hll::suggest_lg_k(0.01), 14);
  EXPECT_EQ(*Hll::suggest_lg_k(0.5), 4);
  EXPECT_FALSE(Hll::suggest_lg_k(0.0005).ok());
  EXPECT_FALSE(Hll::suggest_lg_k(0).ok());
  EXPECT_FALSE(Hll::suggest_lg_k(std::nan("")).ok());
}

TEST(Hll, EveryImageAndModeComesBack) {
  for (const HllForm form : kForms) {
    for (const unsigned lg_k : {4U, 7U, 8U, 12U}) {
      for (const std::uint64_t n : {0U, 1U, 7U, 8U, 30U, 300U, 50'000U}) {
        const Hll hll = make(lg_k, form, 0, n);
        for (const HllImage image : {HllImage::compact, HllImage::updatable}) {
          const std::string bytes = hll.to_datasketches(image);
          const Result<Hll> read = Hll::from_datasketches(bytes);
          ASSERT_TRUE(read.ok()) << lg_k << ' ' << n << ": " << read.error().message;
          const bool same_order = image == HllImage::updatable;
          EXPECT_TRUE(!same_order || read->to_datasketches(image) == bytes) << lg_k << ' ' << n;
          EXPECT_EQ(sorted_words(read->to_datasketches(image)), sorted_words(bytes)) << lg_k << ' ' << n;
          EXPECT_EQ(read->estimate().value, hll.estimate().value);
        }
        const Result<Hll> own = Hll::decode(hll.encode());
        ASSERT_TRUE(own.ok());
        EXPECT_EQ(sorted_words(own->to_datasketches()), sorted_words(hll.to_datasketches()));
      }
    }
  }
}

TEST(Hll, HostileBytesAreSurvived) {
  const auto decode = [](std::string_view bytes) { return Hll::from_datasketches(bytes).ok(); };
  for (const HllForm form : kForms) {
    for (const std::uint64_t n : {1U, 10U, 5'000U}) {
      test::expect_damage_survived(make(8, form, 0, n).to_datasketches(), decode);
    }
  }
  // A wide one with exceptions: HLL_4 at a rank of 15 and more above the least.
  test::expect_damage_survived(make(8, HllForm::hll4, 0, 500).to_datasketches(HllImage::updatable), decode);
  test::expect_damage_refused(make(8, HllForm::hll8, 0, 10).encode(),
                              [](std::string_view bytes) { return Hll::decode(bytes).ok(); });
}

}  // namespace
}  // namespace weir
