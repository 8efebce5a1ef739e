#include "weir/sketch/var_opt_sample.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"
#include "tests/support/sampling.h"
#include "weir/sketch/datasketches_reservoir.h"

namespace weir {
namespace {

using VarOpt = VarOptSample<std::int64_t>;

constexpr std::array<double, 6> kWeights = {1, 4, 2, 16, 1, 8};
constexpr int kRuns = 40'000;

/// How often each of kWeights was kept; `make(run)` gives a sample of 2 whose values are their places.
template <class Make>
void expect_kept_by_weight(Make make) {
  std::array<double, 6> kept{};
  for (int run = 0; run < kRuns; ++run) {
    const VarOpt sample = make(static_cast<std::uint64_t>(run));
    ASSERT_EQ(sample.items().size(), 2U);
    for (const VarOpt::Item& item : sample.items()) ++kept.at(static_cast<std::size_t>(*item.value));
    ASSERT_NEAR(sample.total(), 32, 1e-9);
    ASSERT_NEAR(sample.threshold(), 16, 1e-9);
  }
  // The heaviest always, one of the others: their chances are their weights over 16.
  EXPECT_EQ(kept[3], kRuns);
  double chi_square = 0;
  for (const std::size_t i : {0U, 1U, 2U, 4U, 5U}) {
    const double expected = kRuns * kWeights.at(i) / 16;
    chi_square += (kept.at(i) - expected) * (kept.at(i) - expected) / expected;
  }
  EXPECT_LT(chi_square, 18.5);  // 99.9 % of 4 degrees of freedom
}

TEST(VarOptSample, KeepsRecordsAsOftenAsTheyWeigh) {
  expect_kept_by_weight([](std::uint64_t run) {
    VarOpt sample(2, kFixedSeed, run);
    for (std::size_t i = 0; i < kWeights.size(); ++i)
      sample.add(static_cast<std::int64_t>(i), kWeights.at(i));
    return sample;
  });
}

TEST(VarOptSample, KeepsThemSoAfterMerges) {
  for (const std::size_t split : {1U, 2U, 3U, 5U}) {
    expect_kept_by_weight([split](std::uint64_t run) {
      VarOpt sample(2, kFixedSeed, 2 * run);
      VarOpt other(2, kFixedSeed, 2 * run + 1);
      for (std::size_t i = 0; i < 5; ++i) {
        (i < split ? sample : other).add(static_cast<std::int64_t>(i), kWeights.at(i));
      }
      EXPECT_TRUE(sample.merge(other).ok());
      sample.add(5, kWeights[5]);
      return sample;
    });
  }
}

TEST(VarOptSample, EqualWeightsAreAUniformSample) {
  test::Inclusions counts(20, 5);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    VarOpt sample(5, kFixedSeed, run);
    for (std::int64_t i = 0; i < 20; ++i) sample.add(i, 0.5);
    std::vector<Sampled<int>> kept;
    for (const VarOpt::Item& item : sample.items())
      kept.push_back({static_cast<std::uint64_t>(*item.value), 0});
    counts.add(kept);
  }
  EXPECT_LT(counts.chi_square(), 43.8);
  EXPECT_LT(counts.worst_pair(), 4.8);
}

/// How often, of two merged halves of ten that drew from one seed and stream, the same place of both is kept.
int places_kept_of_both(std::uint64_t first_word, std::uint64_t second_word) {
  int both = 0;
  for (int run = 0; run < kRuns; ++run) {
    const auto half = [run](std::int64_t from, std::uint64_t word) {
      VarOpt sample(5, kFixedSeed, static_cast<std::uint64_t>(run));
      sample.stir(word);
      for (std::int64_t i = from; i < from + 10; ++i) sample.add(i, 0.5);
      return sample;
    };
    VarOpt all = half(0, first_word);
    EXPECT_TRUE(all.merge(half(10, second_word)).ok());
    std::array<bool, 20> kept{};
    for (const VarOpt::Item& item : all.items()) kept.at(static_cast<std::size_t>(*item.value)) = true;
    for (std::size_t i = 0; i < 10; ++i) both += kept.at(i) && kept.at(i + 10) ? 1 : 0;
  }
  return both;
}

TEST(VarOptSample, PartsOfOneStreamThatWereStirredApartDrawApart) {
  // Of 5 and 5 that were kept, 5 stay: 10 places, each of both with a chance of 1/4 * 5/10 * 4/9.
  EXPECT_NEAR(places_kept_of_both(1, 2), kRuns * 10.0 / 18, 710);  // five deviations
  EXPECT_GT(places_kept_of_both(1, 1), kRuns);
}

/// Weights of all sizes, in no order.
double weight_of(std::int64_t i) {
  return std::pow(10, static_cast<double>(i * 7919 % 1000) / 250);
}

TEST(VarOptSample, SumsOfAnyPartAreUnbiasedAndWithinTheirBounds) {
  double truth = 0;
  double all = 0;
  for (std::int64_t i = 0; i < 5000; ++i) {
    truth += i % 3 == 0 ? weight_of(i) : 0;
    all += weight_of(i);
  }
  double sum = 0;
  int held = 0;
  constexpr int kSamples = 400;
  for (std::uint64_t run = 0; run < kSamples; ++run) {
    VarOpt sample(100, kFixedSeed, run);
    for (std::int64_t i = 0; i < 5000; ++i) sample.add(i, weight_of(i));
    EXPECT_NEAR(sample.total(), all, 1e-9 * all);
    const Estimate part = sample.sum([](std::int64_t value) { return value % 3 == 0; });
    EXPECT_LE(part.low, part.value);
    EXPECT_LE(part.value, part.high);
    sum += part.value;
    held += part.low <= truth && truth <= part.high ? 1 : 0;
  }
  EXPECT_GE(held, kSamples * 95 / 100);
  // Each is off by less than a seventh of the truth, as the threshold says; their mean by 4.5 deviations.
  EXPECT_NEAR(sum / kSamples, truth, truth / 7 / std::sqrt(kSamples) * 4.5);
}

TEST(VarOptSample, AllAreExactWhileThereIsRoom) {
  VarOpt sample(10);
  for (std::int64_t i = 0; i < 10; ++i) sample.add(i, static_cast<double>(i + 1));
  std::int64_t expected = 0;
  for (const VarOpt::Item& item : sample.items()) EXPECT_EQ(*item.value, expected++);
  const Estimate sum = sample.sum([](std::int64_t value) { return value < 3; });
  EXPECT_EQ(sum.low, 6);
  EXPECT_EQ(sum.high, 6);
  EXPECT_EQ(VarOpt(5).sum([](std::int64_t) { return true; }).value, 0);
}

TEST(VarOptSample, BadWeightsAreCountedAndSkipped) {
  VarOpt sample(2);
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    sample.add(1, bad);
  }
  EXPECT_EQ(sample.bad(), 5U);
  EXPECT_EQ(sample.seen(), 0U);
  for (int i = 0; i < 100; ++i) sample.add(i, i % 2 == 0 ? VarOpt::kMostWeight : 1e-300);
  EXPECT_TRUE(std::isfinite(sample.total()));
  EXPECT_EQ(sample.items().size(), 2U);
}

TEST(VarOptSample, OneOfAll) {
  std::array<double, 3> kept{};
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    VarOpt sample(1, kFixedSeed, run);
    for (std::int64_t i = 0; i < 3; ++i) sample.add(i, static_cast<double>(i + 1));
    ++kept.at(static_cast<std::size_t>(*sample.items().front().value));
  }
  double chi_square = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = kRuns * static_cast<double>(i + 1) / 6;
    chi_square += (kept.at(i) - expected) * (kept.at(i) - expected) / expected;
  }
  EXPECT_LT(chi_square, 13.9);  // 99.9 % of 2 degrees of freedom
}

TEST(VarOptSample, AMergeThatIsRefusedChangesNothing) {
  VarOpt sample(3);
  for (std::int64_t i = 0; i < 10; ++i) sample.add(i, weight_of(i));
  const std::string before = sample.encode();
  EXPECT_FALSE(sample.merge(VarOpt(4)).ok());
  EXPECT_FALSE(sample.merge(VarOpt(3, Seed{1})).ok());
  EXPECT_EQ(sample.encode(), before);
}

TEST(VarOptSample, GoesOnFromAFileAsItWould) {
  for (const std::int64_t count : {0, 2, 5, 500}) {
    VarOpt sample(5);
    for (std::int64_t i = 0; i < count; ++i) sample.add(i, weight_of(i));
    Result<VarOpt> read = VarOpt::decode(sample.encode());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->encode(), sample.encode());
    for (std::int64_t i = 0; i < 500; ++i) {
      sample.add(i, weight_of(i));
      read->add(i, weight_of(i));
    }
    EXPECT_EQ(read->encode(), sample.encode());
  }
}

TEST(VarOptSample, ReadsAndWritesWhatTheReferenceWrote) {
  for (const std::int64_t n : {0, 1, 10, 1000, 100'000}) {
    const std::optional<std::string> bytes = golden("varopt_i64_n" + std::to_string(n) + ".sk");
    if (!bytes) GTEST_SKIP() << "NOT RUN: no " << golden_path("");
    const Result<VarOpt> read = VarOpt::read_datasketches(*bytes);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->seen(), static_cast<std::uint64_t>(n));
    EXPECT_EQ(read->capacity(), 100U);
    EXPECT_DOUBLE_EQ(read->total(), static_cast<double>(n));
    const Estimate half = read->sum([n](std::int64_t value) { return value < n / 2; });
    EXPECT_LE(half.low, static_cast<double>(n / 2));
    EXPECT_GE(half.high, static_cast<double>(n / 2));
    EXPECT_EQ(read->write_datasketches(), *bytes);
    if (n > 100) continue;
    VarOpt own(100);
    for (std::int64_t i = 0; i < n; ++i) own.add(i, 1);
    EXPECT_EQ(own.write_datasketches(), *bytes);
  }
}

TEST(VarOptSample, DamageIsRefused) {
  VarOptSample<std::string> sample(4);
  for (std::int64_t i = 0; i < 50; ++i) sample.add("record " + std::to_string(i), weight_of(i));
  test::expect_damage_refused(sample.encode(), [](const std::string& bytes) {
    return VarOptSample<std::string>::decode(bytes).ok();
  });
  const auto decodes = [](const std::string& bytes) {
    Result<VarOptSample<std::string>> read = VarOptSample<std::string>::read_datasketches(bytes);
    if (!read) return false;
    for (std::int64_t i = 0; i < 20; ++i) read->add("x", weight_of(i));
    return read->items().size() <= read->capacity();
  };
  test::expect_damage_survived(sample.write_datasketches(), decodes);
  test::expect_damage_survived(VarOptSample<std::string>(4).write_datasketches(), decodes);
}

// ---- The reservoir of DataSketches for Java ----

TEST(DataSketchesReservoir, IsReadAsItWasWritten) {
  for (const std::int64_t n : {0, 3, 5, 1000}) {
    UniformSample<std::int64_t> sample(5);
    for (std::int64_t i = 0; i < n; ++i) sample.add(i);
    const Result<std::string> bytes = write_datasketches(sample);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->size(), n == 0 ? 8U : 16 + 8 * sample.items().size());
    const auto read = read_datasketches_reservoir<std::int64_t>(*bytes);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->seen(), sample.seen());
    EXPECT_EQ(*write_datasketches(*read), *bytes);
  }
}

TEST(DataSketchesReservoir, HasTheLayoutThatJavaWrites) {
  UniformSample<std::int64_t> sample(100);
  EXPECT_EQ(*write_datasketches(sample), std::string("\xC1\x02\x0B\x04\x64\0\0\0", 8));
  sample.add(7);
  EXPECT_EQ(*write_datasketches(sample),
            std::string("\xC2\x02\x0B\x00\x64\0\0\0\x01\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0", 24));
}

TEST(DataSketchesReservoir, GoesOnFairly) {
  std::array<double, 10> counts{};
  for (std::uint64_t run = 0; run < 20'000; ++run) {
    UniformSample<std::int64_t> sample(2, kFixedSeed, run);
    for (std::int64_t i = 0; i < 6; ++i) sample.add(i);
    auto read =
        read_datasketches_reservoir<std::int64_t>(*write_datasketches(sample), kFixedSeed, run + 20'000);
    for (std::int64_t i = 6; i < 10; ++i) read->add(i);
    for (const auto& item : read->items()) ++counts.at(static_cast<std::size_t>(item.value));
  }
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - 4000) * (count - 4000) / 4000;
  EXPECT_LT(chi_square * 9 / 8, 27.9);  // 99.9 % of 9 degrees of freedom
}

TEST(DataSketchesReservoir, DamageIsSurvived) {
  UniformSample<std::string> sample(3);
  for (int i = 0; i < 20; ++i) sample.add("record " + std::to_string(i));
  test::expect_damage_survived(*write_datasketches(sample), [](const std::string& bytes) {
    auto read = read_datasketches_reservoir<std::string>(bytes);
    if (!read) return false;
    for (int i = 0; i < 20; ++i) read->add("x");
    return read->items().size() <= read->capacity();
  });
  EXPECT_FALSE(write_datasketches(UniformSample<std::string>(0)).ok());
}

}  // namespace
}  // namespace weir
