#include "weir/sketch/frequent_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/golden.h"
#include "tests/support/hostile.h"
#include "weir/sketch/random.h"

namespace weir {
namespace {

FrequentNumbers numbers(unsigned lg, std::uint64_t count, std::uint64_t of = 1'000) {
  FrequentNumbers items = *FrequentNumbers::create(lg);
  for (std::uint64_t i = 0; i < count; ++i) items.add(i % of + 1);
  return items;
}

/// Values of about a Zipf law: 1 as often as 2, 3, … would let it be.
std::uint64_t skewed(Random& random) {
  return static_cast<std::uint64_t>(std::pow(random.unit(), -1.0));
}

TEST(FrequentItems, GoldenFilesComeBackAndAreWrittenAlike) {
  if (!golden("fi_i64_n0.sk")) GTEST_SKIP() << "there is no " << golden_path("fi_i64_n0.sk");
  for (const std::uint64_t n : {0U, 1U, 10U, 1'000U, 100'000U}) {
    const std::string bytes = *golden("fi_i64_n" + std::to_string(n) + ".sk");
    const Result<FrequentNumbers> read = FrequentNumbers::from_datasketches(bytes);
    ASSERT_TRUE(read.ok()) << n << ": " << read.error().message;
    EXPECT_EQ(read->total_weight(), n);
    EXPECT_EQ(numbers(10, n).to_datasketches(), bytes) << n;
    for (std::uint64_t value = 1; value <= 1'000; ++value) {
      const std::uint64_t truth = n / 1'000 + (value <= n % 1'000 ? 1 : 0);
      EXPECT_LE(read->bounds(value).lower, truth);
      EXPECT_GE(read->bounds(value).upper, truth);
    }
  }
}

TEST(FrequentItems, BoundsHoldOnSkewedAndFlatStreams) {
  for (const bool flat : {false, true}) {
    Random random(11);
    FrequentNumbers items = *FrequentNumbers::create(8);
    std::map<std::uint64_t, std::uint64_t> truth;
    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t value = flat ? random.below(100'000) : skewed(random);
      const std::uint64_t weight = 1 + random.below(5);
      items.add(value, weight);
      truth[value] += weight;
    }
    EXPECT_LE(static_cast<double>(items.max_error()), 3.5 * static_cast<double>(items.total_weight()) / 256);
    for (const auto& [value, weight] : truth) {
      ASSERT_LE(items.bounds(value).lower, weight);
      ASSERT_GE(items.bounds(value).upper, weight);
    }
    const std::uint64_t threshold = items.total_weight() / 50;
    std::map<std::uint64_t, bool> listed;
    for (const auto& item : items.above(threshold, FrequentErrors::no_false_negatives))
      listed[item.key] = true;
    for (const auto& [value, weight] : truth) {
      EXPECT_TRUE(weight <= std::max(threshold, items.max_error()) || listed[value]) << value;
    }
    for (const auto& item : items.above(threshold, FrequentErrors::no_false_positives)) {
      EXPECT_GT(truth[item.key], threshold);
    }
  }
}

TEST(FrequentItems, FlatStreamTellsItsErrors) {  // F91
  const std::string stream = "XXYZABCXXAAA123456";
  std::map<char, std::uint64_t> truth;
  FrequentTexts items = *FrequentTexts::create(3);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    items.add(std::string_view(stream).substr(i, 1));
    ++truth[stream[i]];
  }
  EXPECT_EQ(items.total_weight(), stream.size());
  for (const auto& [value, count] : truth) {
    EXPECT_LE(items.bounds({&value, 1}).lower, count);
    EXPECT_GE(items.bounds({&value, 1}).upper, count);
  }
  for (const auto& item : items.top(10)) EXPECT_EQ(item.upper - item.lower, items.max_error());
}

TEST(FrequentItems, TiesAreInTheOrderOfTheirKeys) {  // F93
  FrequentTexts items = *FrequentTexts::create(6);
  for (const std::string_view key : {"b", "10.0.0.9", "a", "10.0.0.10", "c"})
    items.add(key, key == "c" ? 6 : 5);
  std::vector<std::string> order;
  for (const auto& item : items.top(4)) order.push_back(item.key);
  EXPECT_EQ(order, (std::vector<std::string>{"c", "10.0.0.10", "10.0.0.9", "a"}));
  EXPECT_TRUE(items.top(0).empty());
}

TEST(FrequentItems, IsExactWhileItHasRoom) {
  FrequentTexts items = *FrequentTexts::create(10);
  for (int i = 0; i < 768; ++i) items.add(std::to_string(i), static_cast<std::uint64_t>(i) + 1);
  EXPECT_EQ(items.max_error(), 0);
  EXPECT_EQ(items.size(), 768);
  EXPECT_EQ(items.bounds("767").lower, 768);
  EXPECT_EQ(items.bounds("767").upper, 768);
  items.add("none", 0);
  EXPECT_EQ(items.bounds("none").upper, 0);
  items.add("one too many");
  EXPECT_GT(items.max_error(), 0);
}

TEST(FrequentItems, TextsAndNumbersAgree) {
  Random random(3);
  FrequentTexts texts = *FrequentTexts::create(7);
  std::map<std::string, std::uint64_t> truth;
  for (int i = 0; i < 50'000; ++i) {
    const std::string key = "key of some length " + std::to_string(skewed(random));
    texts.add(key);
    ++truth[key];
  }
  for (const auto& [key, count] : truth) {
    ASSERT_LE(texts.bounds(key).lower, count) << key;
    ASSERT_GE(texts.bounds(key).upper, count) << key;
  }
}

TEST(FrequentItems, LongTextsAreToldApart) {
  FrequentTexts items = *FrequentTexts::create(5);
  const std::string a = std::string(5'000, 'x') + "a";
  const std::string b = std::string(5'000, 'x') + "b";
  items.add(a, 3);
  items.add(b, 2);
  EXPECT_EQ(items.bounds(a).upper, 3);
  EXPECT_EQ(items.bounds(b).upper, 2);
  const auto top = items.top(1);
  EXPECT_EQ(top[0].key.size(), 1'017);
  EXPECT_EQ(top[0].key.substr(0, 1'001), std::string(1'000, 'x') + '#');
}

TEST(FrequentItems, BatchIsTheSameAsOneByOne) {
  std::vector<std::uint64_t> values(10'000);
  Random random(8);
  for (std::uint64_t& value : values) value = skewed(random);
  FrequentNumbers one = *FrequentNumbers::create(6);
  FrequentNumbers batch = one;
  for (const std::uint64_t value : values) one.add(value);
  batch.add(std::span<const std::uint64_t>(values));
  EXPECT_EQ(one.encode(), batch.encode());
  const std::string longer(3'000, 'y');
  const std::vector<std::string_view> views{"a", longer, "b", longer, ""};
  FrequentTexts text = *FrequentTexts::create(6);
  FrequentTexts texts = text;
  for (const std::string_view view : views) text.add(view);
  texts.add(std::span<const std::string_view>(views));
  EXPECT_EQ(text.encode(), texts.encode());
}

TEST(FrequentItems, MergeHasSeenBoth) {
  Random random(21);
  FrequentNumbers a = *FrequentNumbers::create(7);
  FrequentNumbers b = a;
  std::map<std::uint64_t, std::uint64_t> truth;
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t value = skewed(random);
    (i % 3 == 0 ? a : b).add(value);
    ++truth[value];
  }
  const std::string before = b.encode();
  ASSERT_TRUE(a.merge(b).ok());
  EXPECT_EQ(b.encode(), before);
  EXPECT_EQ(a.total_weight(), 60'000);
  EXPECT_LE(static_cast<double>(a.max_error()), 3.5 * 60'000 / 128);
  for (const auto& [value, count] : truth) {
    ASSERT_LE(a.bounds(value).lower, count);
    ASSERT_GE(a.bounds(value).upper, count);
  }
  ASSERT_TRUE(a.merge(a).ok());
  EXPECT_EQ(a.total_weight(), 120'000);
}

TEST(FrequentItems, OtherParametersAreRefusedAndChangeNothing) {
  FrequentNumbers a = numbers(6, 500);
  const std::string before = a.encode();
  EXPECT_FALSE(a.merge(numbers(7, 5)).ok());
  EXPECT_FALSE(a.merge(*FrequentNumbers::create(6, Seed{1})).ok());
  EXPECT_EQ(a.encode(), before);
  EXPECT_FALSE(FrequentNumbers::create(2).ok());
  EXPECT_FALSE(FrequentNumbers::create(22).ok());
}

TEST(FrequentItems, CountersStopAndSaySo) {
  FrequentNumbers items = *FrequentNumbers::create(4);
  items.add(1, FrequentNumbers::kMostWeight - 1);
  EXPECT_FALSE(items.is_saturated());
  items.add(1, ~std::uint64_t{0});
  EXPECT_TRUE(items.is_saturated());
  EXPECT_EQ(items.total_weight(), FrequentNumbers::kMostWeight);
  EXPECT_EQ(items.bounds(1).lower, FrequentNumbers::kMostWeight);
  items.add(2, 5);
  const auto read = FrequentNumbers::decode(items.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->is_saturated());
  EXPECT_EQ(read->bounds(2).lower, 5);
}

TEST(FrequentItems, ComesBackFromItsBytes) {
  FrequentTexts items = *FrequentTexts::create(6, Seed{5});
  Random random(2);
  for (int i = 0; i < 5'000; ++i) items.add(std::to_string(skewed(random)));
  const Result<FrequentTexts> read = FrequentTexts::decode(items.encode());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->max_error(), items.max_error());
  EXPECT_EQ(read->total_weight(), 5'000);
  EXPECT_EQ(read->seed(), Seed{5});
  const auto before = items.top(100);
  const auto after = read->top(100);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].key, after[i].key);
    EXPECT_EQ(before[i].upper, after[i].upper);
  }
  EXPECT_FALSE(FrequentNumbers::decode(items.encode()).ok());
}

TEST(FrequentItems, HostileBytesAreSurvived) {
  const auto of_numbers = [](std::string_view bytes) {
    return FrequentNumbers::from_datasketches(bytes).ok();
  };
  const auto of_texts = [](std::string_view bytes) { return FrequentTexts::from_datasketches(bytes).ok(); };
  test::expect_damage_survived(numbers(6, 20).to_datasketches(), of_numbers);
  test::expect_damage_survived(numbers(6, 0).to_datasketches(), of_numbers);
  FrequentTexts texts = *FrequentTexts::create(4);
  for (const std::string_view key : {"", "a", "some address", "b"}) texts.add(key);
  test::expect_damage_survived(texts.to_datasketches(), of_texts);
  test::expect_damage_refused(texts.encode(),
                              [](std::string_view bytes) { return FrequentTexts::decode(bytes).ok(); });
}

TEST(FrequentItems, SuggestsTheSmallestThatDoes) {
  EXPECT_EQ(*FrequentTexts::suggest_lg_cells(0.001), 12);
  EXPECT_EQ(*FrequentTexts::suggest_lg_cells(1), 3);
  EXPECT_FALSE(FrequentTexts::suggest_lg_cells(1e-9).ok());
  EXPECT_FALSE(FrequentTexts::suggest_lg_cells(0).ok());
}

}  // namespace
}  // namespace weir
