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
  Book book(10, kMinute);
  const HoldId a = hold(book, "a", 10);
  EXPECT_EQ(book.take(a)->held, "a");
  EXPECT_FALSE(book.take(a));
  EXPECT_FALSE(book.take(HoldId{}));
  EXPECT_FALSE(book.take(HoldId{~std::uint64_t{0}}));
  EXPECT_EQ(lapse(book, 100), "");
  EXPECT_EQ(book.size(), 0U);
}

TEST(HoldBook, LapsesInOrderAFewAtATime) {
  Book book(10, kMinute);
  for (const char* name : {"c", "a", "b"}) hold(book, name, name[0]);
  EXPECT_FALSE(book.due('a' - 1));
  EXPECT_TRUE(book.due('a'));
  EXPECT_EQ(lapse(book, 'c', 2), "ab");
  EXPECT_EQ(lapse(book, 'c', 2), "c");
  EXPECT_EQ(book.next_expiry(), kForever);
}

TEST(HoldBook, RemembersWhatLapsedForATime) {
  Book book(10, 50);
  const HoldId a = hold(book, "a", 10);
  const HoldId b = hold(book, "b", 10);
  EXPECT_EQ(lapse(book, 10), "ab");
  EXPECT_TRUE(book.take(a)->lapsed);
  EXPECT_FALSE(book.take(a));
  hold(book, "c", 61);
  EXPECT_EQ(lapse(book, 61), "c");
  EXPECT_FALSE(book.take(b));
}

TEST(HoldBook, WhenFullForgetsWhatLapsedFirst) {
  Book book(2, kMinute);
  const HoldId a = hold(book, "a", 10);
  const HoldId b = hold(book, "b", 20);
  EXPECT_FALSE(book.enter());
  EXPECT_EQ(lapse(book, 20), "ab");
  const HoldId c = hold(book, "c", 30);
  EXPECT_FALSE(book.take(a));
  EXPECT_EQ(book.take(b)->held, "b");
  EXPECT_EQ(book.take(c)->held, "c");
  EXPECT_EQ(book.size(), 0U);

  Book faithful(1, kForever);
  const HoldId kept = hold(faithful, "kept", 10);
  EXPECT_EQ(lapse(faithful, kForever), "kept");
  EXPECT_FALSE(faithful.enter());
  EXPECT_TRUE(faithful.take(kept)->lapsed);
}

TEST(HoldBook, APlaceThatIsLeftIsHadAgainUnderAnotherId) {
  Book book(1, kMinute);
  const HoldId a = book.enter().value();
  book.leave(a);
  const HoldId b = hold(book, "b", 10);
  EXPECT_NE(a, b);
  EXPECT_FALSE(book.take(a));
  EXPECT_TRUE(book.take(b));
}

TEST(HoldBook, WhoeverComesFirstHasIt) {
  HoldBook<int> book(1000, 0);
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
