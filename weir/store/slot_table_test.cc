#include "weir/store/slot_table.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace weir::store {
namespace {

TEST(SlotTable, FindsWhatWasPlacedAndNothingElse) {
  std::mt19937_64 random(1);
  for (const std::size_t lines : {1U, 2U, 7U, 64U, 65U, 100U, 496U, 600U}) {
    const SlotTable<> table(lines);
    std::map<std::uint64_t, Slot> placed;
    for (int i = 0; i < 30'000; ++i) {
      const Key key(test::draw(random, 1, lines * 4));
      const auto known = placed.find(key.name);
      const Slot found = table.find(key);
      ASSERT_EQ(static_cast<bool>(found), known != placed.end());
      if (known != placed.end()) {
        ASSERT_EQ(found.line, known->second.line);
        if (test::draw(random, 0, 1) == 0) continue;
        table.latch(found);
        table.clear(found);
        placed.erase(known);
        continue;
      }
      const typename SlotTable<>::InsertLatch latch(table.line_of(key, 0));
      if (const Slot slot = table.place(key, 7)) {
        table.unlatch(slot, 1);
        placed[key.name] = slot;
      } else {
        ASSERT_GT(placed.size(), lines * 41 / 20) << "no place although a third of the slots is free";
      }
    }
    for (const auto& [name, slot] : placed) {
      table.latch(slot);
      table.clear(slot);
    }
    // All counts are back at nothing, so that every search ends at home.
    for (std::size_t i = 0; i < lines; ++i) EXPECT_EQ(table.line(i).meta.load(), 0U);
  }
}

TEST(SlotTable, ATakenLatchIsNotTakenTwice) {
  const SlotTable<> table(4);
  const Key key(5);
  Slot slot;
  {
    const typename SlotTable<>::InsertLatch latch(table.line_of(key, 0));
    slot = table.place(key, 1);
  }
  std::uint64_t word = 0;
  EXPECT_FALSE(table.try_latch(slot, word));
  table.unlatch(slot, 42);
  EXPECT_TRUE(table.try_latch(slot, word));
  EXPECT_EQ(word, 42U);
}

TEST(SlotTable, TheVeilTellsKeysAndLimitsApart) {
  std::set<std::uint64_t> veils;
  for (std::uint64_t name = 0; name < 100; ++name) {
    for (std::uint64_t limit = 1; limit <= 100; ++limit) veils.insert(veil(Key(name), limit_veil(limit)));
  }
  EXPECT_EQ(veils.size(), 10'000U);
}

}  // namespace
}  // namespace weir::store
