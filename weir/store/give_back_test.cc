// What goes back of a charge, through the store: as a bucket by itself gives it back.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "tests/support/bucket.h"
#include "tests/support/random.h"
#include "tests/support/store_client.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using test::draw;
using test::kStart;
using test::limit_of;
using test::small;

std::vector<Limit> limits() {
  std::vector<Limit> all;
  for (const AlgorithmInfo& row : algorithms()) {
    all.push_back(limit_of(row.algorithm, 5, 7 * kSecond));
    all.push_back(limit_of(row.algorithm, 40, 3 * kSecond));
  }
  // Above what one word holds.
  all.push_back({.algorithm = Algorithm::token_bucket, .quota = kMaxQuota / 2, .per = 7 * kSecond + 1});
  all.push_back({.algorithm = Algorithm::fixed_window, .quota = 9, .per = 5 * kSecond, .align = Align::key});
  all.push_back({.algorithm = Algorithm::fixed_window, .quota = 9, .per = Calendar(CalendarUnit::day)});
  return all;
}

/// A bucket of a store, and the same by itself.
class Pair {
 public:
  Pair(MemoryStore& store, const Limit& limit, std::uint64_t bucket)
      : store_(store),
        limit_(limit),
        id_(store.add(limit, 0)),
        bucket_(bucket),
        alone_(limit, TimeFrame::starting_at(kStart)),
        phase_(Kernel(limit, {}).phase(bucket)) {}

  void decide(Nanos now, std::uint64_t cost) {
    const BucketAsk ask = of(cost);
    BucketVerdict said;
    store_.decide({&ask, 1}, now, {&said, 1});
    ASSERT_EQ(said.verdict, alone_.decide(now - phase_, {.cost = cost})) << describe(limit_);
    if (said.verdict.allowed) charges_.push_back({charged_at(limit_, now, said.verdict), cost});
  }
  void give_back(Nanos now, std::mt19937_64& random) {
    if (charges_.empty()) return;
    const Charge from = charges_[draw(random, 0, charges_.size() - 1)];
    const BucketAsk ask = of(draw(random, 0, from.cost));
    store_.give_back({&ask, 1}, {&from, 1}, now);
    alone_.give_back(now - phase_, ask.ask.cost, {from.at - phase_, from.cost});
  }

 private:
  BucketAsk of(std::uint64_t cost) const { return {.bucket = bucket_, .limit = id_, .ask = {.cost = cost}}; }

  MemoryStore& store_;
  Limit limit_;
  LimitId id_;
  std::uint64_t bucket_;
  test::Bucket alone_;
  Nanos phase_;
  std::vector<Charge> charges_;
};

TEST(StoreGiveBack, DoesAsABucketByItselfDoes) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    MemoryStore store(small(100));
    Nanos now = kStart;
    for (const Limit& limit : limits()) {
      Pair pair(store, limit, random());
      for (int step = 0; step < 60 && !testing::Test::HasFatalFailure(); ++step) {
        now += static_cast<Nanos>(draw(random, 0, 3)) * 500 * kMillisecond;
        pair.decide(now, draw(random, 0, 6));
        if (draw(random, 0, 2) == 0) pair.give_back(now, random);
      }
    }
  }
}

TEST(StoreGiveBack, GivesEachBucketOfARequestItsOwn) {
  MemoryStore store(small(100));
  const LimitId slow = store.add(limit_of(Algorithm::token_bucket, 10, 10 * kSecond), 0);
  const LimitId fast = store.add(limit_of(Algorithm::sliding_log, 10, kSecond), 1);
  const std::array<BucketAsk, 2> asks{
      {{.bucket = 1, .limit = slow, .ask = {.cost = 8}}, {.bucket = 2, .limit = fast, .ask = {.cost = 4}}}};
  std::array<BucketVerdict, 2> said;
  ASSERT_TRUE(store.decide(asks, kStart, said));
  const std::array<Charge, 2> charges{{{kStart, 8}, {kStart, 4}}};
  const Nanos later = kStart + kSecond / 2;
  store.give_back(asks, charges, later);
  store.peek(asks, later, said);
  EXPECT_EQ(said[0].verdict.remaining, 10U);
  EXPECT_EQ(said[1].verdict.remaining, 10U);
}

TEST(StoreGiveBack, MakesNoBucket) {
  MemoryStore store(small(100));
  for (const Limit& limit : limits()) {
    const BucketAsk ask{.bucket = 7, .limit = store.add(limit, 0), .ask = {}};
    const Charge from{kStart, 1};
    store.give_back({&ask, 1}, {&from, 1}, kStart);
    EXPECT_EQ(store.stats().keys, 0U);
  }
}

}  // namespace
}  // namespace weir
