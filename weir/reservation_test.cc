// Reservations through both limiters: settled exactly once, and nothing minted by what goes back.
#include "weir/reservation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/store_races.h"
#include "weir/policy_limiter.h"
#include "weir/rate_limiter.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class ReservationTest : public testing::Test {
 protected:
  RateLimiter limiter(const Limit& limit, std::size_t most = 100) {
    return RateLimiter{limit, {.clock = clock_, .max_reservations = most}};
  }
  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
};

TEST_F(ReservationTest, HoldsAndGivesBackWhatWasNotNeeded) {
  RateLimiter tokens = limiter(token_bucket(100, per(1h)));
  auto held = tokens.reserve("mira", Cost{40}, 60s);
  ASSERT_TRUE(held);
  EXPECT_EQ(held.outcome().remaining, 60U);
  EXPECT_EQ(tokens.peek("mira").remaining, 60U);
  EXPECT_EQ(held.commit(Cost{15}), Settlement::settled);
  EXPECT_EQ(tokens.peek("mira").remaining, 85U);
  EXPECT_EQ(tokens.peek().remaining, 100U);
}

TEST_F(ReservationTest, CommitsWhatWasHeldByDefault) {
  RateLimiter tokens = limiter(token_bucket(100, per(1h)));
  auto held = tokens.reserve(Cost{40}, 60s);
  EXPECT_EQ(held.commit(), Settlement::settled);
  EXPECT_EQ(tokens.peek().remaining, 60U);
}

TEST_F(ReservationTest, WhatWasUsedBeyondItBecomesDebt) {
  RateLimiter tokens = limiter(token_bucket(100, per(100s)));
  auto held = tokens.reserve(Cost{100}, 60s);
  EXPECT_EQ(held.commit(Cost{150}), Settlement::settled);
  EXPECT_EQ(tokens.peek().retry_after.get(), 51s);
  auto more = tokens.reserve(Cost{0}, 60s);
  EXPECT_EQ(more.commit(Cost{1000}), Settlement::settled);
  EXPECT_EQ(tokens.peek().retry_after.get(), 101s);
}

TEST_F(ReservationTest, GoesBackWhenNobodyCommits) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)));
  { const auto held = tokens.reserve(Cost{4}, 60s); }
  EXPECT_EQ(tokens.peek().remaining, 10U);
  auto held = tokens.reserve(Cost{4}, 60s);
  clock_->advance(60s - 1ns);
  EXPECT_EQ(tokens.peek().remaining, 6U);
  clock_->advance(1ns);
  EXPECT_EQ(tokens.peek().remaining, 10U);
  EXPECT_FALSE(held.cancel());
  EXPECT_EQ(tokens.peek().remaining, 10U);
}

TEST_F(ReservationTest, IsChargedWhenCommittedTooLate) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)));
  auto held = tokens.reserve("mira", Cost{4}, 60s);
  clock_->advance(61s);
  EXPECT_EQ(held.commit(Cost{5}), Settlement::late);
  EXPECT_EQ(tokens.peek("mira").remaining, 5U);
  EXPECT_EQ(held.commit(Cost{5}), Settlement::nothing);
  EXPECT_EQ(tokens.peek("mira").remaining, 5U);
}

TEST_F(ReservationTest, IsSettledOnce) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)));
  auto held = tokens.reserve(Cost{4}, 60s);
  EXPECT_EQ(held.commit(Cost{1}), Settlement::settled);
  EXPECT_EQ(held.commit(Cost{1}), Settlement::nothing);
  EXPECT_FALSE(held.cancel());
  clock_->advance(61s);
  EXPECT_EQ(tokens.peek().remaining, 9U);
  auto other = tokens.reserve(Cost{4}, 60s);
  EXPECT_TRUE(other.cancel());
  EXPECT_FALSE(other.cancel());
  EXPECT_EQ(other.commit(), Settlement::nothing);
  EXPECT_EQ(tokens.peek().remaining, 9U);
}

TEST_F(ReservationTest, MovesAndOutlivesItsLimiter) {
  std::optional<Reservation> held;
  {
    RateLimiter tokens = limiter(token_bucket(10, per(1h)));
    auto first = tokens.reserve(Cost{4}, 60s);
    held.emplace(std::move(first));
    EXPECT_EQ(first.commit(), Settlement::nothing);  // NOLINT(bugprone-use-after-move)
    auto second = tokens.reserve(Cost{3}, 60s);
    second = std::move(*held);  // gives back the three
    EXPECT_EQ(tokens.peek().remaining, 6U);
    held.emplace(std::move(second));
  }
  EXPECT_EQ(held->commit(), Settlement::settled);
}

TEST_F(ReservationTest, DeniedHoldsNothing) {
  RateLimiter tokens = limiter(token_bucket(10, per(10s)));
  auto much = tokens.reserve(Cost{11}, 60s);
  EXPECT_FALSE(much);
  EXPECT_EQ(much.outcome().admission, Admission::never);
  EXPECT_EQ(much.commit(), Settlement::nothing);
  EXPECT_TRUE(tokens.check(Cost{8}));
  auto more = tokens.reserve(Cost{3}, 60s);
  EXPECT_EQ(more.outcome().retry_after.get(), 1s);
  EXPECT_EQ(tokens.peek().remaining, 2U);
  EXPECT_THROW((void)tokens.reserve(Cost{1}, 0s), std::invalid_argument);
}

TEST_F(ReservationTest, ThereAreOnlySoMany) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)), 2);
  auto a = tokens.reserve(Cost{1}, 10s);
  auto b = tokens.reserve("mira", Cost{1}, 20s);
  auto c = tokens.reserve(Cost{1}, 10s);
  EXPECT_EQ(c.outcome().admission, Admission::not_until);
  EXPECT_GT(c.outcome().retry_after, Wait());
  EXPECT_EQ(tokens.peek().remaining, 9U);  // for which nothing was charged
  EXPECT_TRUE(a.cancel());
  EXPECT_TRUE(tokens.reserve(Cost{1}, 10s));
}

TEST_F(ReservationTest, WithoutPlacesNoWaitHelps) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)), 0);
  EXPECT_EQ(tokens.reserve(Cost{1}, 10s).outcome().admission, Admission::never);
  EXPECT_EQ(tokens.reserve("mira", Cost{1}, 10s).outcome().admission, Admission::never);
  EXPECT_EQ(tokens.peek().remaining, 10U);
  PolicyLimiter policy = PolicyLimiter::parse("domain: d\nrules: []\n", {.max_reservations = 0}).value();
  EXPECT_EQ(policy.reserve({}, Cost{1}, 10s).outcome().admission, Admission::never);
}

TEST_F(ReservationTest, KeepsItsPlaceUntilItIsSettled) {
  RateLimiter tokens = limiter(token_bucket(10, per(1h)), 1);
  auto held = tokens.reserve(Cost{1}, 10s);
  clock_->advance(1h);
  const auto denied = tokens.reserve(Cost{1}, 10s);
  EXPECT_EQ(denied.outcome().admission, Admission::not_until);
  EXPECT_LE(denied.outcome().retry_after, Wait::of(1s));  // an estimate
  EXPECT_EQ(held.commit(), Settlement::late);
  EXPECT_TRUE(tokens.reserve(Cost{1}, 10s));
}

// What time has given back is not given twice; and a window that has passed is left alone.
TEST_F(ReservationTest, GivesBackOnlyWhatStillWeighs) {
  RateLimiter bucket = limiter(token_bucket(10, per(10s)));
  auto held = bucket.reserve(Cost{5}, 60s);
  clock_->advance(5s);
  EXPECT_TRUE(bucket.check(Cost{10}));
  EXPECT_TRUE(held.cancel());
  EXPECT_EQ(bucket.peek().remaining, 0U);

  for (const Limit& limit : {Limit(fixed_window(5, per(10s))), sliding_counter(5, per(10s))}) {
    RateLimiter window = limiter(limit);
    auto old = window.reserve(Cost{3}, 60s);
    clock_->advance(20s);
    EXPECT_TRUE(window.check(Cost{2}));
    EXPECT_TRUE(old.cancel());
    EXPECT_EQ(window.peek().remaining, 3U) << describe(limit);
  }
  RateLimiter log = limiter(sliding_log(5, per(10s)));
  auto old = log.reserve(Cost{3}, 60s);
  clock_->advance(10s);
  EXPECT_TRUE(log.check(Cost{5}));
  EXPECT_TRUE(old.cancel());
  EXPECT_EQ(log.peek().remaining, 0U);
}

/// How many single units the bucket still admits.
std::uint64_t check_until_denied(RateLimiter& limiter) {
  std::uint64_t admitted = 0;
  while (limiter.check()) ++admitted;
  return admitted;
}

// The second hold was charged while the first still weighed, and gets nothing back for that.
TEST_F(ReservationTest, OverlappingHoldsMintNothing) {
  for (const Limit& limit : {Limit(token_bucket(10, per(10s))), Limit(gcra(10, per(10s))),
                             Limit(leaky_bucket(10, per(10s)).burst(9))}) {
    RateLimiter bucket = limiter(limit);
    auto x = bucket.reserve(Cost{5}, 60s);
    auto y = bucket.reserve(Cost{5}, 60s);
    EXPECT_TRUE(x.cancel());
    clock_->advance(4s);
    const std::uint64_t before = check_until_denied(bucket);
    EXPECT_TRUE(y.cancel());
    EXPECT_EQ(before, 9U) << describe(limit);
    EXPECT_EQ(check_until_denied(bucket), 1U) << describe(limit);
  }
}

TEST_F(ReservationTest, ALogGivesBackTheEntriesOfTheHold) {
  RateLimiter log = limiter(sliding_log(5, per(10s)));
  auto held = log.reserve(Cost{2}, 60s);
  clock_->advance(5s);
  EXPECT_TRUE(log.check(Cost{2}));
  clock_->advance(1s);
  EXPECT_TRUE(held.cancel());
  EXPECT_EQ(log.peek().remaining, 3U);
  clock_->advance(4s);
  EXPECT_EQ(check_until_denied(log), 3U);
}

TEST_F(ReservationTest, ACounterGivesBackToTheWindowThatWasCharged) {
  RateLimiter counter = limiter(sliding_counter(10, per(10s)));
  clock_->advance(8535ms);
  auto first = counter.reserve(Cost{4}, 60s);
  clock_->advance(1322ms);
  auto second = counter.reserve(Cost{2}, 60s);
  auto third = counter.reserve(Cost{4}, 60s);
  EXPECT_EQ(counter.peek().remaining, 0U);
  clock_->advance(222ms);
  for (Reservation* held : {&first, &second, &third}) EXPECT_TRUE(held->cancel());
  EXPECT_EQ(counter.peek().remaining, 10U);
}

// The same holds, of keys: their buckets are in a store.
TEST_F(ReservationTest, BucketsOfKeysGiveBackTheSame) {
  RateLimiter bucket = limiter(gcra(10, per(10s)));
  auto x = bucket.reserve("mira", Cost{5}, 60s);
  auto y = bucket.reserve("mira", Cost{5}, 60s);
  EXPECT_TRUE(x.cancel());
  clock_->advance(4s);
  EXPECT_TRUE(bucket.check("mira", Cost{9}));
  EXPECT_TRUE(y.cancel());
  EXPECT_EQ(bucket.peek("mira").remaining, 1U);

  RateLimiter log = limiter(sliding_log(5, per(10s)));
  auto held = log.reserve("mira", Cost{4}, 60s);
  clock_->advance(5s);
  EXPECT_TRUE(log.check("mira"));
  EXPECT_EQ(held.commit(Cost{1}), Settlement::settled);
  EXPECT_EQ(log.peek("mira").remaining, 3U);
  clock_->advance(5s);
  EXPECT_EQ(log.peek("mira").remaining, 4U);
}

// Law 3 with holds that come and go: what was admitted and kept never exceeds burst + rate * T.
TEST_F(ReservationTest, HoldsMintNothing) {
  std::mt19937_64 random(7);
  for (int round = 0; round < test::effort(200); ++round) {
    const std::uint64_t burst = test::draw(random, 2, 10);
    RateLimiter bucket = limiter(token_bucket(1, per(1s)).burst(burst));
    struct Kept {
      Time at;
      std::uint64_t cost;
    };
    std::vector<Kept> kept;
    std::vector<std::pair<Reservation, Kept>> open;
    for (int step = 0; step < 60; ++step) {
      clock_->advance(std::chrono::milliseconds(test::draw(random, 0, 4) * 500));
      const std::uint64_t cost = test::draw(random, 1, burst);
      const Kept now{clock_->now(), cost};
      if (test::draw(random, 0, 2) == 0) {
        auto held = bucket.reserve(Cost{cost}, 1h);
        if (held) open.emplace_back(std::move(held), now);
      } else if (bucket.check(Cost{cost})) {
        kept.push_back(now);
      }
      if (!open.empty() && test::draw(random, 0, 2) == 0) {
        const std::size_t which = test::draw(random, 0, open.size() - 1);
        if (test::draw(random, 0, 1) == 0) {
          EXPECT_EQ(open[which].first.commit(), Settlement::settled);
          kept.push_back(open[which].second);
        } else {
          EXPECT_TRUE(open[which].first.cancel());
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.at < b.at; });
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::uint64_t sum = 0;
      for (std::size_t j = i; j < kept.size(); ++j) {
        sum += kept[j].cost;
        const double span = std::chrono::duration<double>(kept[j].at - kept[i].at).count();
        ASSERT_LE(static_cast<double>(sum), static_cast<double>(burst) + span);
      }
    }
  }
}

TEST_F(ReservationTest, CommitsThatRaceTheClockAreSettledOnce) {
  constexpr int kHolds = 64;
  RateLimiter tokens = limiter(fixed_window(1'000'000, per(24h)), kHolds);
  std::vector<Reservation> held;
  const auto refill = [&] {
    held.clear();
    for (int i = 0; i < kHolds; ++i) held.push_back(tokens.reserve(Cost{10}, 1s));
  };
  refill();
  std::uint64_t spent = 0;
  int wrong = 0;
  const auto open = [&] {
    spent += kHolds;  // each was committed with 1, in time or late
    wrong += tokens.peek().remaining == 1'000'000 - spent ? 0 : 1;
    refill();
  };
  test::race(
      2, test::effort(200),
      [&](int thread, int) {
        if (thread == 0) {
          clock_->advance(1s);
          for (int i = 0; i < kHolds; ++i) (void)tokens.check(Cost{0});
        } else {
          for (Reservation& one : held) (void)one.commit(Cost{1});
        }
      },
      [&](int) { open(); });
  EXPECT_EQ(wrong, 0);
}

// ---- Policies ----

constexpr const char* kTwoRules = R"(
domain: test
rules:
  - {name: account, key: [account], limit: {algorithm: fixed_window, quota: 100, per: 1h}, cost: 2}
  - {name: all, key: [], limit: {algorithm: fixed_window, quota: 50, per: 1h}}
)";

class PolicyReservationTest : public testing::Test {
 protected:
  std::uint64_t left(std::string_view account) {
    return limiter_.peek({{"account", account}}, Cost{0}).remaining;
  }
  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  PolicyLimiter limiter_ = PolicyLimiter::parse(kTwoRules, {.clock = clock_, .max_reservations = 10}).value();
};

TEST_F(PolicyReservationTest, HoldsInAllRulesOrInNone) {
  EXPECT_FALSE(limiter_.reserve({{"account", "mira"}}, Cost{51}, 60s));
  EXPECT_TRUE(limiter_.peek({{"account", "mira"}}, Cost{50}));
  auto held = limiter_.reserve({{"account", "mira"}}, Cost{40}, 60s);
  ASSERT_TRUE(held);
  EXPECT_FALSE(limiter_.peek({{"account", "tomo"}}, Cost{11}));
  EXPECT_EQ(held.commit(Cost{10}), Settlement::settled);
  EXPECT_TRUE(limiter_.peek({{"account", "mira"}}, Cost{40}));
  EXPECT_FALSE(limiter_.peek({{"account", "mira"}}, Cost{41}));
}

TEST_F(PolicyReservationTest, GoesBackWithItsTimeAndIsChargedLate) {
  auto held = limiter_.reserve({{"account", "mira"}}, Cost{50}, 60s);
  EXPECT_FALSE(limiter_.check({{"account", "tomo"}}));
  clock_->advance(60s);
  EXPECT_TRUE(limiter_.check({{"account", "tomo"}}));
  EXPECT_EQ(held.commit(Cost{49}), Settlement::late);
  EXPECT_FALSE(limiter_.check({{"account", "tomo"}}));
  EXPECT_EQ(held.commit(Cost{49}), Settlement::nothing);
}

TEST_F(PolicyReservationTest, AReloadChangesNothingForWhatIsHeld) {
  auto held = limiter_.reserve({{"account", "mira"}}, Cost{50}, 60s);
  ASSERT_TRUE(limiter_.reload_text(R"(
domain: test
rules:
  - {name: all, key: [], limit: {algorithm: fixed_window, quota: 60, per: 1h}}
)"));
  EXPECT_FALSE(limiter_.peek({{"account", "tomo"}}, Cost{11}));
  EXPECT_TRUE(held.cancel());
  EXPECT_TRUE(limiter_.peek({{"account", "tomo"}}, Cost{60}));
}

TEST_F(PolicyReservationTest, ThereAreOnlySoMany) {
  std::vector<Reservation> held;
  for (int i = 0; i < 10; ++i) held.push_back(limiter_.reserve({{"account", "mira"}}, Cost{1}, 60s));
  const auto full = limiter_.reserve({{"account", "mira"}}, Cost{1}, 60s);
  EXPECT_EQ(full.outcome().admission, Admission::not_until);
  EXPECT_TRUE(limiter_.peek({{"account", "mira"}}, Cost{40}));
  EXPECT_THROW((void)limiter_.reserve({{"account", "mira"}}, Cost{1}, -1s), std::invalid_argument);
}

}  // namespace
}  // namespace weir
