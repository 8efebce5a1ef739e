// Who gets a place in a memory store, what makes room, and what a full one says.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random.h"
#include "tests/support/store_client.h"
#include "tests/support/store_races.h"
#include "weir/store/memory_store.h"

namespace weir {
namespace {

using test::Client;
using test::draw;
using test::kStart;
using test::limit_of;
using test::small;
using ::testing::HasSubstr;
using ::testing::Lt;

TEST(MemoryStore, BucketsThatAreAsGoodAsNewAreDroppedByAndBy) {
  MemoryStore store(small(10'000));
  Client client{store, store.add(limit_of(Algorithm::token_bucket, 10, kSecond), 0)};
  for (std::uint64_t key = 1; key <= 10'000; ++key) client.admits(key, kStart);
  EXPECT_EQ(store.stats().keys, 10'000U);
  // Only one key is left that asks; each of its requests does a little.
  Nanos now = kStart + kMinute;
  int requests = 0;
  while (store.stats().keys > 1 && requests < 500'000) {
    ++requests;
    client.admits(1, now += kSecond);
  }
  EXPECT_EQ(store.stats().keys, 1U);
  EXPECT_EQ(store.stats().evictions, 9'999U);
}

TEST(MemoryStore, DeadBucketsAreAFractionOfTheTableWhileNewOnesCome) {
  MemoryStore store(small(100'000));
  Client client{store, store.add(limit_of(Algorithm::token_bucket, 1, kSecond), 0)};
  std::size_t most = 0;
  for (std::uint64_t key = 1; key <= static_cast<std::uint64_t>(test::effort(500'000)); ++key) {
    // A thousand are alive at any time.
    client.admits(key, kStart + static_cast<Nanos>(key) * kMillisecond);
    most = std::max(most, store.stats().keys);
  }
  EXPECT_THAT(most, Lt(30'000U));
}

TEST(MemoryStore, WhoIsAtTheirLimitCannotWinAFreshBucketByFlooding) {
  for (const AlgorithmInfo& row : algorithms()) {
    SCOPED_TRACE(row.name);
    MemoryStore store(small(10'000));
    Client client{store, store.add(limit_of(row.algorithm, 5, kHour), 0)};
    while (client.admits(1, kStart)) {
    }
    std::size_t full = 0;
    for (std::uint64_t key = 2; key <= 10'002; ++key) full += client.decide(key, kStart).full ? 1 : 0;
    EXPECT_FALSE(client.admits(1, kStart));
    EXPECT_EQ(full, 2U);
    EXPECT_EQ(store.stats().keys, 10'000U);
    EXPECT_EQ(store.stats().full, 2U);
    // Once they are as good as new, they make room.
    EXPECT_TRUE(client.admits(20'000, kStart + 10 * kHour));
  }
}

TEST(MemoryStore, AFullTableAnswersAsTheRuleSays) {
  MemoryStore store(small(1));
  Client client{store, store.add(limit_of(Algorithm::token_bucket, 2, kMinute), 0)};
  EXPECT_TRUE(client.admits(1, kStart));
  const BucketVerdict denied = client.decide(2, kStart);
  EXPECT_TRUE(denied.full);
  EXPECT_FALSE(denied.verdict.allowed);
  EXPECT_EQ(denied.verdict.retry_after, 30 * kSecond);
  EXPECT_EQ(denied.verdict.reset_after, 30 * kSecond);
  EXPECT_FALSE(client.peek(2, kStart).allowed);
  EXPECT_EQ(client.peek(2, kStart).retry_after, 30 * kSecond);
  EXPECT_TRUE(client.peek(1, kStart).allowed);
  const BucketVerdict allowed = client.decide(2, kStart, 1, true);
  EXPECT_TRUE(allowed.full);
  EXPECT_TRUE(allowed.verdict.allowed);
  // What no bucket could admit is no matter of room.
  EXPECT_FALSE(client.decide(2, kStart, 3, true).verdict.allowed);
  EXPECT_TRUE(client.admits(2, kStart, 0));
  EXPECT_TRUE(client.peek(2, kStart + 30 * kSecond).allowed);
}

TEST(MemoryStore, WaitingForRoomAloneAlwaysAdmits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < test::effort(300); ++i) {
    MemoryStore store(small(draw(random, 1, 60)));
    std::vector<Client> clients;
    for (const AlgorithmInfo& row : algorithms()) {
      clients.push_back({store, store.add(limit_of(row.algorithm, draw(random, 1, 9),
                                                   static_cast<Nanos>(draw(random, 1, kMinute))),
                                          static_cast<std::uint32_t>(draw(random, 0, 3)))});
    }
    Nanos now = kStart;
    for (std::uint64_t key = 0; key < 200; ++key) {
      Client& client = clients[key % clients.size()];
      now += static_cast<Nanos>(draw(random, 0, 100 * kMillisecond));
      const BucketVerdict said = client.decide(key, now);
      if (!said.full || said.verdict.allowed) continue;
      ASSERT_TRUE(said.verdict.retry_after);
      ASSERT_GT(*said.verdict.retry_after, 0);
      now += *said.verdict.retry_after;
      ASSERT_TRUE(client.admits(key, now));
    }
  }
}

TEST(MemoryStore, ARequestThatNeedsMoreBucketsThanThereAreNeverPasses) {
  MemoryStore store(small(1));
  const LimitId limit = store.add(limit_of(Algorithm::token_bucket, 2, kMinute), 0);
  const std::vector<BucketAsk> asks{{.bucket = 1, .limit = limit, .ask = {}},
                                    {.bucket = 2, .limit = limit, .ask = {}}};
  std::vector<BucketVerdict> verdicts(2);
  EXPECT_FALSE(store.decide(asks, kStart, verdicts));
  EXPECT_EQ(verdicts[1].verdict.retry_after, std::nullopt);
  EXPECT_EQ(store.stats().keys, 0U);
}

// What is short is held by buckets outside of the windows that are looked at.
TEST(MemoryStore, ARequestOfSeveralBucketsIsNotToldNeverWhileOthersHoldTheMemory) {
  constexpr std::size_t kTable = std::size_t{2440} * 64;
  MemoryStore store(small(5'000, kTable + 60'000));
  Client hoarder{store, store.add(limit_of(Algorithm::sliding_log, 100'000, kHour), 0)};
  // A few buckets with long logs, until there is no memory for another's first entry.
  Nanos now = kStart;
  for (std::uint64_t key = 1; !hoarder.decide(key, ++now).full; ++key) {
    while (!hoarder.decide(key, ++now).full) {
    }
  }
  std::size_t estimates = 0;
  for (std::uint64_t key = 10'000; key < 10'200; key += 2) {
    const std::vector<BucketAsk> asks{{.bucket = key, .limit = hoarder.limit, .ask = {}},
                                      {.bucket = key + 1, .limit = hoarder.limit, .ask = {}}};
    std::vector<BucketVerdict> verdicts(2);
    EXPECT_FALSE(store.decide(asks, now, verdicts));
    for (const BucketVerdict& said : verdicts) {
      ASSERT_TRUE(said.full);
      ASSERT_TRUE(said.verdict.retry_after);
      estimates += said.verdict.retry_after == kSecond ? 1 : 0;
    }
  }
  EXPECT_GT(estimates, 0U);

  // Of its own a request may need more than there is.
  std::vector<BucketAsk> too_many;
  for (std::uint64_t key = 20'000; key < 21'000; ++key) {
    too_many.push_back({.bucket = key, .limit = hoarder.limit, .ask = {}});
  }
  std::vector<BucketVerdict> verdicts(too_many.size());
  EXPECT_FALSE(store.decide(too_many, now, verdicts));
  for (const BucketVerdict& said : verdicts) {
    EXPECT_TRUE(said.full);
    EXPECT_EQ(said.verdict.retry_after, std::nullopt);
  }
}

TEST(MemoryStore, OneRuleCannotUseUpTheRoomOfTheOthers) {
  MemoryStore store(small(900));
  std::vector<Client> rules;
  for (std::uint32_t rule = 0; rule < 3; ++rule) {
    rules.push_back({store, store.add(limit_of(Algorithm::token_bucket, 5 + rule, kHour), rule)});
  }
  const auto fill = [&](Client& rule, std::uint64_t from) {
    int places = 0;
    for (std::uint64_t key = from; key < from + 2000; ++key) places += rule.decide(key, kStart).full ? 0 : 1;
    return places;
  };
  EXPECT_EQ(fill(rules[0], 10'000), 600);  // its own 150, and the 450 that are shared
  EXPECT_EQ(fill(rules[1], 20'000), 150);
  EXPECT_EQ(fill(rules[2], 30'000), 150);
  EXPECT_EQ(store.stats().keys, 900U);
}

TEST(MemoryStore, MemoryHasACeilingLogsIncluded) {
  constexpr std::size_t kMemory = 128U << 10U;
  MemoryStore store(small(1000, kMemory));
  Client client{store, store.add(limit_of(Algorithm::sliding_log, 1000, kHour), 0)};
  std::size_t full = 0;
  for (int i = 0; i < test::effort(50'000); ++i) {
    full += client.decide(static_cast<std::uint64_t>(i % 500), kStart + i).full ? 1 : 0;
    ASSERT_LE(store.stats().memory_bytes, kMemory);
  }
  EXPECT_GT(full, 0U);
  // When the logs have run out, their memory is there again, in pieces of any size, after a few requests that
  // each look at a part of the table.
  const Nanos later = kStart + 3 * kHour;
  int denied = 0;
  for (int i = 0; i < 1000; ++i) denied += client.admits(1'000'000, later + i) ? 0 : 1;
  EXPECT_THAT(denied, Lt(30));
}

TEST(MemoryStore, ALogThatCannotGrowSaysWhenItsOldestEntryLeaves) {
  MemoryStore store(small(4, 512));
  Client client{store, store.add(limit_of(Algorithm::sliding_log, 1000, kMinute), 0)};
  for (Nanos now = kStart;; ++now) {
    const BucketVerdict said = client.decide(1, now);
    if (!said.full) continue;
    EXPECT_FALSE(said.verdict.allowed);
    ASSERT_EQ(said.verdict.retry_after, kStart + kMinute - now);
    EXPECT_TRUE(client.admits(1, kStart + kMinute));
    break;
  }
}

TEST(MemoryStore, LogMemoryIsSharedFairlyToo) {
  MemoryStore store(small(1000, 256U << 10U));
  Client greedy{store, store.add(limit_of(Algorithm::sliding_log, 1000, kHour), 0)};
  Client modest{store, store.add(limit_of(Algorithm::sliding_log, 10, kHour), 1)};
  for (int i = 0; i < test::effort(100'000); ++i)
    greedy.admits(static_cast<std::uint64_t>(i % 50), kStart + i);
  for (std::uint64_t key = 1000; key < 1100; ++key) {
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(modest.decide(key, kStart + i).full);
  }
}

TEST(MemoryStore, RefusesWhatHasNoRoomForATable) {
  EXPECT_THROW(MemoryStore(small(0)), std::invalid_argument);
  try {
    const MemoryStore store(small(100, 10));
    FAIL() << "10 bytes were enough";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("max_memory: 10 bytes have room for no table; the least is 88"));
  }
  EXPECT_THROW(MemoryStore(small(100, 87)), std::invalid_argument);
  EXPECT_THROW(MemoryStore(small(100, (std::size_t{1} << 46U) + 1)), std::invalid_argument);
  EXPECT_FALSE(find_error(small(100, std::size_t{1} << 46U)));
  EXPECT_EQ(MemoryStore(small(100, 88)).stats().max_keys, 2U);
  const MemoryStore fewer(small(~std::size_t{0}, 1U << 20U));
  EXPECT_THAT(fewer.stats().max_keys, Lt(40'000U));
  EXPECT_LE(fewer.stats().memory_bytes, 1U << 20U);
}

TEST(MemoryStore, TenMillionKeysTakeLessThanThirtyTwoBytesEach) {
  const MemoryStore store(small(10'000'000, std::size_t{4} << 30U));
  EXPECT_EQ(store.stats().max_keys, 10'000'000U);
  EXPECT_LE(store.stats().memory_bytes, 32 * 10'000'000U);
}

TEST(MemoryStore, EveryOneOfItsKeysFindsAPlace) {
  constexpr std::size_t kKeys = static_cast<std::size_t>(test::effort(300'000));
  MemoryStore store(small(kKeys, std::size_t{64} << 20U));
  Client client{store, store.add(limit_of(Algorithm::token_bucket, 1, kHour), 0)};
  for (std::uint64_t key = 1; key <= kKeys; ++key) ASSERT_TRUE(client.admits(key, kStart)) << key;
  for (std::uint64_t key = 1; key <= kKeys; ++key) ASSERT_FALSE(client.admits(key, kStart)) << key;
  EXPECT_TRUE(client.decide(kKeys + 1, kStart).full);
}

}  // namespace
}  // namespace weir
