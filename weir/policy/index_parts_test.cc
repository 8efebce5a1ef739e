// The parts of the index by themselves, each against the plainest way to the same answer.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "weir/policy/literal_finder.h"
#include "weir/policy/prefix_table.h"
#include "weir/policy/string_map.h"

namespace weir {
namespace {

std::string draw(std::mt19937_64& random, std::string_view alphabet, std::size_t least, std::size_t most) {
  std::string out;
  for (auto n = least + random() % (most - least + 1); n > 0; --n)
    out += alphabet[random() % alphabet.size()];
  return out;
}

TEST(LiteralFinder, FindsWhatSearchingOneByOneFinds) {
  std::mt19937_64 random(5);
  FinderScratch scratch;
  for (int round = 0; round < 3'000; ++round) {
    std::vector<std::string> literals;
    for (auto n = random() % 12; n > 0; --n) literals.push_back(draw(random, "abc", 1, 4));
    const LiteralFinder finder(literals);
    for (int i = 0; i < 5; ++i) {
      const std::string text = draw(random, "abcd", 0, 20);
      std::vector<std::uint32_t> found;
      finder.find(text, scratch, [&](std::uint32_t literal) { found.push_back(literal); });
      std::sort(found.begin(), found.end());
      std::vector<std::uint32_t> expected;
      for (std::uint32_t l = 0; l < literals.size(); ++l) {
        if (text.find(literals[l]) != std::string::npos) expected.push_back(l);
      }
      ASSERT_EQ(found, expected) << text;
    }
  }
}

TEST(LiteralFinder, SurvivesTheWrapOfItsStamps) {
  const std::vector<std::string> literals{"a"};
  const LiteralFinder finder(literals);
  FinderScratch scratch;
  scratch.search = 0xFFFFFFFEU;
  for (int i = 0; i < 4; ++i) {
    int found = 0;
    finder.find("aaa", scratch, [&](std::uint32_t) { ++found; });
    EXPECT_EQ(found, 1) << i;
  }
}

TEST(PrefixTable, FindsWhatAskingEachFinds) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 2'000; ++round) {
    std::map<std::string, Prefix> prefixes;
    for (auto n = random() % 20; n > 0; --n) {
      const bool v4 = random() % 2 == 0;
      // Near one another, so that many nest, and at the ends of the space.
      const Wide near = (random() % 3 == 0 ? ~Wide{0} : Wide{0}) ^ (random() % 16);
      const Address address{v4 ? near & 0xFFFFFFFFU : near, v4};
      const auto length =
          static_cast<unsigned>(random() % 2 == 0 ? width(v4) - random() % 6 : random() % (width(v4) + 1));
      const Prefix prefix{cut(address, length), length};
      prefixes.emplace(to_text(prefix), prefix);
    }
    std::vector<std::pair<Prefix, std::uint32_t>> entries;
    for (const auto& [text, prefix] : prefixes)
      entries.emplace_back(prefix, static_cast<std::uint32_t>(entries.size()));
    const PrefixTable table(entries);
    for (int i = 0; i < 20; ++i) {
      const bool v4 = random() % 2 == 0;
      const Wide near = (random() % 3 == 0 ? ~Wide{0} : Wide{0}) ^ (random() % 32);
      const Address address{v4 ? near & 0xFFFFFFFFU : near, v4};
      std::vector<std::uint32_t> found;
      table.find(address, [&](std::uint32_t n) { found.push_back(n); });
      std::vector<std::uint32_t> expected;
      for (const auto& [prefix, n] : entries) {
        if (prefix.contains(address)) expected.push_back(n);
      }
      ASSERT_TRUE(std::is_sorted(found.begin(), found.end(), [&](auto a, auto b) {
        return entries[a].first.length > entries[b].first.length;
      }));
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected);
      ASSERT_EQ(table.contains(address), !expected.empty());
    }
  }
}

TEST(StringMap, IsAMap) {
  std::mt19937_64 random(7);
  StringMap map;
  std::map<std::string, std::uint32_t> model;
  EXPECT_FALSE(map.find(""));
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::string text = draw(random, std::string_view("ab\0", 3), 0, 10);
    ASSERT_EQ(map.insert(text, i), model.emplace(text, i).first->second);
  }
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = draw(random, std::string_view("abc\0", 4), 0, 12);
    const auto expected = model.find(text);
    const auto found = map.find(text);
    ASSERT_EQ(found.has_value(), expected != model.end());
    if (found) {
      ASSERT_EQ(*found, expected->second);
    }
  }
  EXPECT_EQ(map.size(), model.size());
}

}  // namespace
}  // namespace weir
