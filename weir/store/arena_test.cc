#include "weir/store/arena.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace weir::store {
namespace {

struct Piece {
  std::uint32_t unit;
  unsigned order;
  unsigned char fill;
};

bool intact(const Arena& arena, const Piece& piece) {
  for (std::size_t i = 0; i < Arena::bytes(piece.order); ++i) {
    if (std::to_integer<unsigned char>(arena.at(piece.unit)[i]) != piece.fill) return false;
  }
  return true;
}

TEST(Arena, PiecesNeverOverlapAndAllIsOneAgainWhenAllAreFreed) {
  std::mt19937_64 random(1);
  for (const std::size_t bytes : {std::size_t{33} * 1024, std::size_t{33} * 1000 + 7}) {
    Arena arena(bytes);
    std::vector<Piece> pieces;
    for (int i = 0; i < 20'000; ++i) {
      if (!pieces.empty() && test::draw(random, 0, 1) == 0) {
        const std::size_t chosen = test::draw(random, 0, pieces.size() - 1);
        ASSERT_TRUE(intact(arena, pieces[chosen]));
        arena.free(pieces[chosen].unit, pieces[chosen].order);
        pieces[chosen] = pieces.back();
        pieces.pop_back();
        continue;
      }
      const auto order = static_cast<unsigned>(test::draw(random, 0, 5));
      const auto unit = arena.allocate(order);
      if (!unit) continue;
      EXPECT_EQ(*unit % (1U << order), 0U);
      pieces.push_back({*unit, order, static_cast<unsigned char>(i)});
      std::memset(arena.at(*unit), pieces.back().fill, Arena::bytes(order));
    }
    for (const Piece& piece : pieces) arena.free(piece.unit, piece.order);
    // The largest piece that fits can be had once more.
    EXPECT_TRUE(arena.allocate(9));
  }
}

TEST(Arena, GivesOutAllThatItHas) {
  Arena arena(Arena::kBytesPerUnit * 21);
  std::size_t units = 0;
  while (arena.allocate(0)) ++units;
  EXPECT_EQ(units, 21U);
}

TEST(Arena, AnEmptyOneGivesNothing) {
  Arena arena(Arena::kBytesPerUnit - 1);
  EXPECT_FALSE(arena.allocate(0));
}

}  // namespace
}  // namespace weir::store
