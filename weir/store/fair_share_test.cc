#include "weir/store/fair_share.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/support/random.h"

namespace weir::store {
namespace {

std::size_t take_all(FairShare& share, std::uint32_t room) {
  std::size_t taken = 0;
  while (share.take(room, 1)) ++taken;
  return taken;
}

TEST(FairShare, OneRoomMayHaveItAll) {
  FairShare share(100);
  share.open(0);
  EXPECT_EQ(take_all(share, 0), 100U);
}

TEST(FairShare, HalfIsKeptForTheRoomsEvenly) {
  FairShare share(100);
  for (const std::uint32_t room : {0U, 1U, 2U}) share.open(room);
  EXPECT_EQ(take_all(share, 0), 100U - 2 * 16);
  EXPECT_EQ(take_all(share, 1), 16U);
  EXPECT_EQ(take_all(share, 2), 16U);
  EXPECT_TRUE(share.helps(0, 1));
  EXPECT_FALSE(share.helps(1, 0));
  share.give(0, 1);
  EXPECT_TRUE(share.take(1, 1));
}

TEST(FairShare, AClosedRoomKeepsNoPartOfItsOwn) {
  FairShare share(100);
  share.open(0);
  share.open(1);
  share.close(1);
  EXPECT_EQ(take_all(share, 0), 100U);
}

TEST(FairShare, ARoomThatComesLateWaitsForWhatIsHeld) {
  FairShare share(10);
  share.open(0);
  EXPECT_EQ(take_all(share, 0), 10U);
  share.open(1);
  EXPECT_FALSE(share.take(1, 1));
  EXPECT_TRUE(share.helps(0, 1));
  share.give(0, 1);
  EXPECT_FALSE(share.take(0, 1));
  EXPECT_TRUE(share.take(1, 1));
}

TEST(FairShare, WhatIsHeldIsNeverMoreThanThereIs) {
  std::mt19937_64 random(5);
  FairShare share(1000);
  std::array<std::size_t, 6> held{};
  for (std::uint32_t room = 0; room < held.size(); ++room) share.open(room);
  for (int i = 0; i < 100'000; ++i) {
    const auto room = static_cast<std::uint32_t>(test::draw(random, 0, held.size() - 1));
    const auto other = static_cast<std::uint32_t>(test::draw(random, 0, held.size() - 1));
    const std::size_t amount = test::draw(random, 0, 60);
    switch (test::draw(random, 0, 9)) {
      case 0:
        share.open(room);
        break;
      case 1:
        share.close(room);
        break;
      case 2:
        if (held[room] < amount) break;
        share.move(room, other, amount);
        held[room] -= amount;
        held[other] += amount;
        break;
      case 3:
      case 4:
      case 5:
        if (held[room] < amount) break;
        share.give(room, amount);
        held[room] -= amount;
        break;
      default:
        if (share.take(room, amount)) held[room] += amount;
        break;
    }
    std::size_t sum = 0;
    for (const std::size_t amount_held : held) sum += amount_held;
    ASSERT_EQ(share.used(), sum);
    ASSERT_LE(sum, 1000U);
  }
  // Nothing was lost on the way: with all given back, one room alone can have it all.
  for (std::uint32_t room = 0; room < held.size(); ++room) {
    share.give(room, held[room]);
    share.close(room);
  }
  share.open(0);
  EXPECT_EQ(take_all(share, 0), 1000U);
}

}  // namespace
}  // namespace weir::store
