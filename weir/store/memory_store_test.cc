// The laws of the memory store, one request after another. What threads do to each other is in race_test.cc.
#include "weir/store/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/bucket.h"
#include "tests/support/random.h"
#include "tests/support/store_client.h"
#include "tests/support/store_model.h"
#include "tests/support/store_races.h"

namespace weir {
namespace {

using test::draw;
using test::draw_edgy;

using test::Client;
using test::kStart;
using test::limit_of;
using test::small;

// ---- Against the exact oracle ----

std::vector<Limit> limits_of_all_kinds() {
  std::vector<Limit> limits;
  for (const AlgorithmInfo& row : algorithms()) {
    limits.push_back(limit_of(row.algorithm, 5, 7 * kSecond));
    limits.push_back(limit_of(row.algorithm, 1, kMillisecond));
    limits.push_back(limit_of(row.algorithm, 0, kSecond));
    limits.push_back(limit_of(row.algorithm, 40, 3 * kSecond));
  }
  limits.push_back({.algorithm = Algorithm::token_bucket, .quota = 3, .per = kSecond, .burst = 9});
  limits.push_back({.algorithm = Algorithm::leaky_bucket, .quota = 3, .per = kSecond, .burst = 4});
  // Above what one word holds.
  limits.push_back({.algorithm = Algorithm::token_bucket, .quota = kMaxQuota / 2, .per = 7 * kSecond + 1});
  limits.push_back({.algorithm = Algorithm::fixed_window, .quota = 4, .per = kMinute, .align = Align::key});
  limits.push_back({.algorithm = Algorithm::fixed_window, .quota = 4, .per = Calendar(CalendarUnit::day)});
  return limits;
}

std::string describe_all(std::span<const BucketAsk> asks) {
  std::string text;
  for (const BucketAsk& ask : asks) {
    text += "bucket " + std::to_string(ask.bucket) + " cost " + std::to_string(ask.ask.cost) +
            (ask.ask.charge_denied ? " charge_denied" : "") + (ask.shadow ? " shadow" : "") + "\n";
  }
  return text;
}

class Sequence {
 public:
  Sequence(std::uint64_t seed, std::size_t max_keys) : random_(seed), store_(small(max_keys)) {
    std::uint32_t room = 0;
    for (const Limit& limit : limits_of_all_kinds()) {
      ids_.push_back(store_.add(limit, room++));
      model_.add(ids_.back(), limit);
    }
  }

  void step() {
    advance();
    const std::vector<BucketAsk> asks = draw_asks();
    std::vector<BucketVerdict> got(asks.size());
    std::vector<BucketVerdict> wanted(asks.size());
    switch (draw(random_, 0, 9)) {
      case 0:
        store_.refund(asks, now_);
        model_.refund(asks, now_);
        return;
      case 1:
        store_.charge(asks, now_);
        model_.charge(asks, now_);
        return;
      case 2: {
        const std::size_t before = store_.stats().keys;
        EXPECT_EQ(store_.peek(asks, now_, got), model_.peek(asks, now_, wanted));
        EXPECT_EQ(store_.stats().keys, before);
        break;
      }
      default: {
        const bool veto = draw(random_, 0, 9) == 0;
        EXPECT_EQ(store_.decide(asks, now_, got, veto), model_.decide(asks, now_, wanted, veto));
        break;
      }
    }
    SCOPED_TRACE(describe_all(asks));
    for (std::size_t i = 0; i < asks.size(); ++i) {
      EXPECT_FALSE(got[i].full);
      EXPECT_EQ(got[i].verdict, wanted[i].verdict) << "ask " << i << " of " << asks.size();
    }
  }

 private:
  void advance() {
    switch (draw(random_, 0, 9)) {
      case 0:
        now_ += static_cast<Nanos>(draw(random_, 0, 10)) * kSecond;
        break;
      case 1:
        now_ += static_cast<Nanos>(draw_edgy(random_, 90 * kSecond));
        break;
      case 2:
        now_ += kMillisecond;
        break;
      case 3:
        now_ += static_cast<Nanos>(draw(random_, 0, kSecond));
        break;
      default:
        break;
    }
  }

  /// One to four asks; buckets are few, so that they meet, and each bucket keeps to one limit.
  std::vector<BucketAsk> draw_asks() {
    std::vector<BucketAsk> asks(draw(random_, 1, 4));
    for (BucketAsk& ask : asks) {
      ask.bucket = draw(random_, 0, 90);
      ask.limit = ids_[ask.bucket % ids_.size()];
      ask.ask.cost = draw(random_, 0, 4) == 0 ? draw_edgy(random_, ~std::uint64_t{0}) : draw(random_, 0, 3);
      ask.ask.charge_denied = draw(random_, 0, 5) == 0;
      ask.shadow = draw(random_, 0, 5) == 0;
    }
    return asks;
  }

  std::mt19937_64 random_;
  MemoryStore store_;
  test::StoreModel model_;
  std::vector<LimitId> ids_;
  Nanos now_ = kStart;
};

TEST(MemoryStore, SaysWhatTheOracleSays) {
  for (std::uint64_t seed = 0;
       seed < static_cast<std::uint64_t>(test::effort(20)) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Sequence sequence(seed, seed % 2 == 0 ? 200 : 5000);
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "step " << i);
      sequence.step();
    }
  }
}

// ---- All or nothing ----

/// One request of several buckets, each with a limit.
bool request(MemoryStore& store, std::vector<std::pair<std::uint64_t, LimitId>> buckets, Nanos now) {
  std::vector<BucketAsk> asks;
  for (const auto& [bucket, limit] : buckets) asks.push_back({.bucket = bucket, .limit = limit, .ask = {}});
  std::vector<BucketVerdict> verdicts(asks.size());
  return store.decide(asks, now, verdicts);
}

TEST(MemoryStore, ARequestThatOneRuleDeniesIsNotChargedByTheOther) {
  MemoryStore store(small(100));
  const LimitId user = store.add(limit_of(Algorithm::fixed_window, 30, kMinute), 0);
  const LimitId endpoint = store.add(limit_of(Algorithm::fixed_window, 5, kMinute), 1);
  int admitted = 0;
  for (int i = 0; i < 10; ++i) admitted += request(store, {{1, user}, {2, endpoint}}, kStart) ? 1 : 0;
  EXPECT_EQ(admitted, 5);
  EXPECT_EQ((Client{store, user}.peek(1, kStart).remaining), 25U);
}

TEST(MemoryStore, AParentKeepsWhatItsFirstChildCouldNotUse) {
  MemoryStore store(small(100));
  const LimitId client = store.add(limit_of(Algorithm::token_bucket, 10, kMinute), 0);
  const LimitId service = store.add(limit_of(Algorithm::token_bucket, 2, kMinute), 1);
  int first = 0;
  int second = 0;
  for (int i = 0; i < 10; ++i) first += request(store, {{1, client}, {2, service}}, kStart) ? 1 : 0;
  for (int i = 0; i < 10; ++i) second += request(store, {{1, client}}, kStart) ? 1 : 0;
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 8);
}

TEST(MemoryStore, EachForItselfChargesEveryAskThatIsAdmitted) {
  MemoryStore store(small(100));
  const LimitId client = store.add(limit_of(Algorithm::token_bucket, 10, kMinute), 0);
  const LimitId service = store.add(limit_of(Algorithm::token_bucket, 2, kMinute), 1);
  const std::vector<BucketAsk> asks{{.bucket = 1, .limit = client, .ask = {}},
                                    {.bucket = 2, .limit = service, .ask = {}}};
  std::vector<BucketVerdict> verdicts(2);
  int admitted = 0;
  for (int i = 0; i < 10; ++i) admitted += store.decide_each(asks, kStart, verdicts) ? 1 : 0;
  EXPECT_EQ(admitted, 2);
  EXPECT_EQ((Client{store, client}.peek(1, kStart).remaining), 0U);
}

TEST(MemoryStore, TwoAsksOfOneBucketAreOneAfterTheOther) {
  MemoryStore store(small(100));
  const LimitId limit = store.add(limit_of(Algorithm::sliding_log, 5, kMinute), 0);
  int admitted = 0;
  for (int i = 0; i < 4; ++i) admitted += request(store, {{1, limit}, {1, limit}}, kStart + i) ? 1 : 0;
  EXPECT_EQ(admitted, 2);
  EXPECT_EQ((Client{store, limit}.peek(1, kStart + 10).remaining), 1U);
}

TEST(MemoryStore, AShadowNeverChangesTheOutcomeAndIsChargedForItself) {
  MemoryStore store(small(100));
  const LimitId tight = store.add(limit_of(Algorithm::token_bucket, 1, kMinute), 0);
  const LimitId wide = store.add(limit_of(Algorithm::token_bucket, 10, kMinute), 1);
  const auto ask = [&](LimitId binding, LimitId shadow) {
    const std::vector<BucketAsk> asks{
        {.bucket = static_cast<std::uint64_t>(binding) + 1, .limit = binding, .ask = {}},
        {.bucket = static_cast<std::uint64_t>(shadow) + 11, .limit = shadow, .ask = {}, .shadow = true}};
    std::vector<BucketVerdict> verdicts(2);
    return store.decide(asks, kStart, verdicts);
  };
  EXPECT_TRUE(ask(wide, tight));
  EXPECT_TRUE(ask(wide, tight));  // the shadow denies now
  EXPECT_EQ((Client{store, wide}.peek(2, kStart).remaining), 8U);
  EXPECT_TRUE(ask(tight, wide));
  EXPECT_FALSE(ask(tight, wide));
  EXPECT_EQ((Client{store, wide}.peek(12, kStart).remaining), 8U);  // charged although the request was denied
}

TEST(MemoryStore, AVetoDeniesAndChargesNothing) {
  MemoryStore store(small(100));
  const LimitId limit = store.add(limit_of(Algorithm::token_bucket, 5, kMinute), 0);
  const BucketAsk ask{.bucket = 1, .limit = limit, .ask = {}};
  BucketVerdict said;
  EXPECT_FALSE(store.decide({&ask, 1}, kStart, {&said, 1}, true));
  EXPECT_TRUE(said.verdict.allowed);
  EXPECT_EQ(store.stats().keys, 0U);
  EXPECT_FALSE(store.decide({}, kStart, {}, true));
  EXPECT_TRUE(store.decide({}, kStart, {}));
}

TEST(MemoryStore, ABatchIsItsRequestsOneAfterAnother) {
  MemoryStore store(small(100));
  const LimitId limit = store.add(limit_of(Algorithm::token_bucket, 3, kMinute), 0);
  std::vector<BucketAsk> asks;
  std::vector<RequestEnd> ends;
  for (std::uint32_t i = 0; i < 8; ++i) {
    asks.push_back({.bucket = 1 + i % 2, .limit = limit, .ask = {}});
    ends.push_back({.end = i + 1, .veto = i == 0});
  }
  std::vector<BucketVerdict> verdicts(asks.size());
  store.decide_many(asks, ends, kStart, verdicts);
  std::vector<bool> admitted;
  for (const BucketVerdict& said : verdicts) admitted.push_back(said.verdict.allowed);
  // Bucket 1 was asked four times, the first of them in vain; bucket 2 four times.
  EXPECT_THAT(admitted, testing::ElementsAre(true, true, true, true, true, true, true, false));
}

// ---- What leaves no trace ----

TEST(MemoryStore, PeeksDenialsAndCostNothingMakeNoBucket) {
  for (const AlgorithmInfo& row : algorithms()) {
    SCOPED_TRACE(row.name);
    MemoryStore store(small(100));
    Client client{store, store.add(limit_of(row.algorithm, 3, kMinute), 0)};
    Client nobody{store, store.add(limit_of(row.algorithm, 0, kMinute), 1)};
    EXPECT_TRUE(client.admits(1, kStart, 0));
    EXPECT_FALSE(client.admits(2, kStart, 100));
    EXPECT_TRUE(client.peek(3, kStart).allowed);
    EXPECT_FALSE(nobody.admits(4, kStart));
    EXPECT_FALSE(request(store, {{5, client.limit}, {6, nobody.limit}}, kStart));
    const BucketAsk refunded{.bucket = 7, .limit = client.limit, .ask = {}};
    store.refund({&refunded, 1}, kStart);
    EXPECT_EQ(store.stats().keys, 0U);
    EXPECT_TRUE(client.admits(1, kStart));
    EXPECT_EQ(store.stats().keys, 1U);
  }
}

TEST(MemoryStore, QuotaZeroBlocksFromTheFirstRequestForEver) {
  for (const AlgorithmInfo& row : algorithms()) {
    SCOPED_TRACE(row.name);
    MemoryStore store(small(100));
    Client client{store, store.add(limit_of(row.algorithm, 0, kMinute), 0)};
    for (int i = 0; i < 3; ++i) {
      const Verdict verdict = client.decide(1, kStart + i * kHour).verdict;
      EXPECT_FALSE(verdict.allowed);
      EXPECT_EQ(verdict.retry_after, std::nullopt);
    }
  }
}

TEST(MemoryStore, RefusedHitsDoNotExtendTheLockUnlessTheyAreCharged) {
  for (const bool charge_denied : {false, true}) {
    MemoryStore store(small(100));
    const LimitId limit = store.add(limit_of(Algorithm::sliding_log, 10, 600 * kSecond), 0);
    int admitted = 0;
    for (int i = 0; i < 40; ++i) {
      const BucketAsk ask{.bucket = 1, .limit = limit, .ask = {.charge_denied = charge_denied}};
      BucketVerdict said;
      admitted += store.decide({&ask, 1}, kStart + i * 30 * kSecond, {&said, 1}) ? 1 : 0;
    }
    EXPECT_EQ(admitted, charge_denied ? 10 : 20);
  }
}

// ---- Time ----

TEST(MemoryStore, TimeThatStepsBackMintsNothing) {
  for (const Algorithm algorithm :
       {Algorithm::token_bucket, Algorithm::fixed_window, Algorithm::sliding_log}) {
    SCOPED_TRACE(info(algorithm).name);
    MemoryStore store(small(100));
    Client client{store, store.add(limit_of(algorithm, 1, kSecond), 0)};
    std::vector<bool> admitted;
    for (const int second : {10, 5, 10, 5, 10, 11}) {
      // Others come and go, so that the sweep passes.
      for (std::uint64_t other = 2; other < 30; ++other) client.admits(other, kStart + second * kSecond);
      admitted.push_back(client.admits(1, kStart + second * kSecond));
    }
    EXPECT_THAT(admitted, testing::ElementsAre(true, false, false, false, false, true));
  }
}

TEST(MemoryStore, AKeyWhoseBucketWasDroppedIsNotDecidedInThePast) {
  MemoryStore store(small(100));
  Client client{store, store.add(limit_of(Algorithm::token_bucket, 1, kSecond), 0)};
  int admitted = 0;
  // In any span of T seconds at most 1 + T, however the instants given jump about in it.
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Nanos now = kStart + static_cast<Nanos>(draw(random, 0, 100)) * kSecond;
    admitted += client.admits(1, now) ? 1 : 0;
    client.admits(draw(random, 2, 200), now);
  }
  EXPECT_LE(admitted, 101);
}

// ---- Limits that change ----

TEST(MemoryStore, WhatIsUsedIsKeptUnderANewQuota) {
  for (const AlgorithmInfo& row : algorithms()) {
    if (row.algorithm == Algorithm::leaky_bucket) continue;
    SCOPED_TRACE(row.name);
    MemoryStore store(small(100));
    Client old{store, store.add(limit_of(row.algorithm, 100, kHour), 0)};
    for (int i = 0; i < 70; ++i) EXPECT_TRUE(old.admits(1, kStart));
    EXPECT_EQ(store.add(limit_of(row.algorithm, 100, kHour), 0), old.limit);
    EXPECT_EQ(old.peek(1, kStart).remaining, 30U);
    Client more{store, store.add(limit_of(row.algorithm, 200, kHour), 0)};
    EXPECT_EQ(more.peek(1, kStart).remaining, 130U);
    EXPECT_TRUE(more.admits(1, kStart, 0));
    Client less{store, store.add(limit_of(row.algorithm, 50, kHour), 0)};
    EXPECT_EQ(less.peek(1, kStart).remaining, 0U);
    EXPECT_FALSE(less.admits(1, kStart));
    Client other{store, store.add(limit_of(row.algorithm, 100, kMinute), 0)};
    EXPECT_EQ(other.peek(1, kStart).remaining, 100U);
  }
}

TEST(MemoryStore, AStateMovesBetweenAWordAndABlock) {
  MemoryStore store(small(100));
  Client narrow{store, store.add({.algorithm = Algorithm::token_bucket, .quota = 3, .per = kSecond}, 0)};
  Client broad{
      store,
      store.add({.algorithm = Algorithm::token_bucket, .quota = kMaxQuota / 2 + 1, .per = kSecond}, 0)};
  const std::size_t empty = store.stats().memory_bytes;
  EXPECT_TRUE(narrow.admits(1, kStart, 2));
  EXPECT_TRUE(broad.admits(1, kStart, 5));
  EXPECT_EQ(broad.peek(1, kStart).remaining, kMaxQuota / 2 + 1 - 7);
  EXPECT_GT(store.stats().memory_bytes, empty);
  EXPECT_FALSE(narrow.admits(1, kStart));
  EXPECT_TRUE(narrow.admits(1, kStart + 2 * kSecond));
  EXPECT_EQ(store.stats().memory_bytes, empty);
}

TEST(MemoryStore, ANewLimitTakesOverAsOfTheInstantItCame) {
  MemoryStore store(small(100));
  Client slow{store,
              store.add({.algorithm = Algorithm::token_bucket, .quota = 1, .per = kMinute, .burst = 10}, 0)};
  EXPECT_TRUE(slow.admits(1, kStart, 10));
  Client fast{
      store,
      store.add({.algorithm = Algorithm::token_bucket, .quota = 1, .per = kMinute, .burst = 20}, 0, kStart)};
  EXPECT_EQ(fast.peek(1, kStart + 2 * kMinute).remaining, 12U);
}

TEST(MemoryStore, AMillionReloadsNeedNoMoreLimitsThanAreInUse) {
  MemoryStore store(small(1000));
  const auto limit = [](std::uint64_t quota) { return limit_of(Algorithm::token_bucket, quota, kSecond); };
  LimitId current = store.add(limit(1), 0);
  const std::uint64_t reloads = static_cast<std::uint64_t>(test::effort(200'000));
  for (std::uint64_t i = 2; i <= reloads; ++i) {
    const LimitId next = store.add(limit(i), 0);
    store.remove(current);
    current = next;
    Client client{store, current};
    EXPECT_TRUE(client.admits(1, kStart + static_cast<Nanos>(i) * kSecond));
    // One that nobody asks for again: its limit stays until the sweep has found it.
    EXPECT_TRUE(client.admits(1'000'000 + i, kStart + static_cast<Nanos>(i) * kSecond));
    ASSERT_LE(store.stats().limits, 1002U);
  }
}

TEST(MemoryStore, RefusesALimitThatIsNone) {
  MemoryStore store(small(10));
  EXPECT_THROW(store.add(limit_of(Algorithm::sliding_log, kMaxLogQuota + 1, kSecond), 0),
               std::invalid_argument);
  EXPECT_EQ(store.stats().limits, 0U);
}

}  // namespace
}  // namespace weir
