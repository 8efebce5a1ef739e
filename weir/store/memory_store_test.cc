// The laws of the memory store, one request after another. What threads do to each other is in race_test.cc.
#include "weir/store/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/bucket.h"
#include "tests/support/random.h"
#include "tests/support/store_model.h"
#include "tests/support/store_races.h"

namespace weir {
namespace {

using test::draw;
using test::draw_edgy;
using ::testing::HasSubstr;
using ::testing::Lt;

constexpr Nanos kStart = 1'700'000'000 * kSecond;

MemoryStoreOptions small(std::size_t max_keys, std::size_t max_memory = std::size_t{16} << 20U) {
  return {.max_keys = max_keys, .max_memory = max_memory, .frame = TimeFrame::starting_at(kStart)};
}

Limit limit_of(Algorithm algorithm, std::uint64_t quota, Nanos per) {
  return {.algorithm = algorithm, .quota = quota, .per = per};
}

/// One ask of one bucket.
struct Client {
  MemoryStore& store;
  LimitId limit;

  BucketVerdict decide(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1,
                       bool allow_when_full = false) {
    const BucketAsk ask{
        .bucket = bucket, .limit = limit, .ask = {.cost = cost}, .allow_when_full = allow_when_full};
    BucketVerdict said;
    store.decide({&ask, 1}, now, {&said, 1});
    return said;
  }
  bool admits(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1) {
    return decide(bucket, now, cost).verdict.allowed;
  }
  Verdict peek(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1) {
    const BucketAsk ask{.bucket = bucket, .limit = limit, .ask = {.cost = cost}};
    BucketVerdict said;
    store.peek({&ask, 1}, now, {&said, 1});
    return said.verdict;
  }
};

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
       seed < static_cast<std::uint64_t>(test::effort(30)) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Sequence sequence(seed, seed % 2 == 0 ? 200 : 5000);
    for (int i = 0; i < 500 && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "step " << i);
      sequence.step();
    }
  }
}

}  // namespace
}  // namespace weir
