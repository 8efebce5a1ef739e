#include "weir/base/hold_book.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace weir {
namespace {

using Book = HoldBook<std::string>;

HoldId hold(Book& book, const std::string& what, Nanos expires) {
  const HoldId id = book.enter().value();
  book.arm(id, what, expires);
  return id;
}

std::string lapse(Book& book, Nanos now, std::size_t most = 100) {
  std::string back;
  book.lapse(now, most, [&](const std::string& held) { back += held; });
  return back;
}

TEST(HoldBook, SettlesEachOnce) {
  Book book(10);
  const HoldId a = hold(book, "a", 10);
  EXPECT_EQ(book.take(a)->held, "a");
  EXPECT_FALSE(book.take(a));
  EXPECT_FALSE(book.take(HoldId{}));
  EXPECT_FALSE(book.take(HoldId{~std::uint64_t{0}}));
  EXPECT_EQ(lapse(book, 100), "");
}

TEST(HoldBook, LapsesInOrderAFewAtATime) {
  Book book(10);
  for (const char* name : {"c", "a", "b"}) hold(book, name, name[0]);
  EXPECT_FALSE(book.due('a' - 1));
  EXPECT_TRUE(book.due('a'));
  EXPECT_EQ(lapse(book, 'c', 2), "ab");
  EXPECT_EQ(lapse(book, 'c', 2), "c");
  EXPECT_EQ(book.next_expiry(), kForever);
}

TEST(HoldBook, WhatHasLapsedKeepsItsPlaceUntilItIsSettled) {
  Book book(1);
  const HoldId a = hold(book, "a", 10);
  EXPECT_FALSE(book.enter());
  EXPECT_EQ(book.wait_for_place(4), 6);
  EXPECT_EQ(lapse(book, kForever), "a");
  EXPECT_FALSE(book.enter());
  EXPECT_EQ(book.wait_for_place(4), kSecond);
  EXPECT_TRUE(book.take(a)->lapsed);
  EXPECT_FALSE(book.take(a));
  EXPECT_TRUE(book.enter());
}

TEST(HoldBook, WithoutPlacesNoWaitHelps) {
  Book none(0);
  EXPECT_FALSE(none.enter());
  EXPECT_FALSE(none.wait_for_place(4));
}

TEST(HoldBook, APlaceThatIsLeftIsHadAgainUnderAnotherId) {
  Book book(1);
  const HoldId a = book.enter().value();
  book.leave(a);
  const HoldId b = hold(book, "b", 10);
  EXPECT_NE(a, b);
  EXPECT_FALSE(book.take(a));
  EXPECT_TRUE(book.take(b));
}

TEST(HoldBook, WhoeverComesFirstHasIt) {
  HoldBook<int> book(1000);
  std::vector<HoldId> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(book.enter().value());
    book.arm(ids.back(), 1, i);
  }
  std::atomic<int> settled{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      if (t == 0) {
        while (book.lapse(1000, 8, [&](int held) { settled += held; }) != 0) {
        }
        return;
      }
      for (const HoldId id : ids) {
        const auto taken = book.take(id);
        if (taken && !taken->lapsed) settled += taken->held;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(settled, 1000);
}

}  // namespace
}  // namespace weir
