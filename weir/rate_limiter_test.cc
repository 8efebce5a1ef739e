// RateLimiter through its public face: what it says, against the oracle; what it charges; and its threads.
#include "weir/weir.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/oracle.h"
#include "tests/support/random.h"
#include "tests/support/store_races.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using test::draw;
using test::draw_edgy;

std::shared_ptr<VirtualClock> virtual_clock() {
  return std::make_shared<VirtualClock>();
}

TEST(Limits, AreValues) {
  EXPECT_EQ(Limit(token_bucket(5, per(10s)).burst(10)),
            (Limit{.algorithm = Algorithm::token_bucket, .quota = 5, .per = 10 * kSecond, .burst = 10}));
  EXPECT_EQ(Limit(gcra(5, per(10s))), (Limit{.algorithm = Algorithm::gcra, .quota = 5, .per = 10 * kSecond}));
  EXPECT_EQ(Limit(leaky_bucket(5, per(1min)).burst(3)),
            (Limit{.algorithm = Algorithm::leaky_bucket, .quota = 5, .per = kMinute, .burst = 3}));
  EXPECT_EQ(Limit(fixed_window(5, per(24h)).aligned_by_key()),
            (Limit{.algorithm = Algorithm::fixed_window, .quota = 5, .per = kDay, .align = Align::key}));
  EXPECT_EQ(Limit(fixed_window(5, per(CalendarUnit::month))),
            (Limit{.algorithm = Algorithm::fixed_window, .quota = 5, .per = Calendar(CalendarUnit::month)}));
  EXPECT_EQ(sliding_log(5, per(1ms)).algorithm, Algorithm::sliding_log);
  EXPECT_EQ(sliding_counter(5, per(1ms)).algorithm, Algorithm::sliding_counter);
}

TEST(Limits, RefuseAPeriodThatNanosecondsCannotHold) {
  EXPECT_THROW((void)per(std::chrono::years(293)), std::invalid_argument);
  EXPECT_NO_THROW((void)per(std::chrono::years(291)));
  EXPECT_EQ(std::get<Nanos>(per(24h * 106'751).value()), 106'751 * kDay);
  EXPECT_THROW((void)per(24h * 106'752), std::invalid_argument);
  EXPECT_THROW((void)per(std::chrono::hours::max()), std::invalid_argument);
  EXPECT_THROW((void)per(std::chrono::hours::min()), std::invalid_argument);
  EXPECT_EQ(std::get<Nanos>(per(std::chrono::nanoseconds::max()).value()), kForever);
  EXPECT_FALSE(RateLimiter::make(token_bucket(1, per(-1s))));
}

TEST(RateLimiter, RefusesALimitThatCannotBe) {
  const auto made = RateLimiter::make(token_bucket(5, per(10s)).burst(0));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "burst: 0 would admit nothing; the least is 1, and left out it is the quota");
  try {
    const RateLimiter limiter{token_bucket(5, per(10s)).burst(0)};
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), made.error().message);
  }
  EXPECT_FALSE(RateLimiter::make(sliding_log(5, per(CalendarUnit::day))));
  EXPECT_FALSE(RateLimiter::make(token_bucket(5, per(0s))));
  const auto timers = std::make_shared<TimerQueue>(virtual_clock());
  EXPECT_FALSE(RateLimiter::make(token_bucket(5, per(1s)), {.clock = virtual_clock(), .timers = timers}));
}

TEST(RateLimiter, RefusesOptionsThatCannotBe) {
  const auto refused = [](const RateLimiterOptions& options) {
    const auto made = RateLimiter::make(token_bucket(1, per(1s)), options);
    EXPECT_THROW((RateLimiter{token_bucket(1, per(1s)), options}), std::invalid_argument);
    return made ? std::string("accepted") : made.error().message;
  };
  EXPECT_EQ(refused({.max_keys = 0}), "max_keys: 0 has room for no bucket at all");
  EXPECT_EQ(refused({.max_memory = 0}), "max_memory: 0 bytes have room for no table; the least is 88");
  EXPECT_EQ(refused({.max_memory = SIZE_MAX}),
            "max_memory: 18446744073709551615 bytes are more than the maximum of 70368744177664");
  RateLimiter most{token_bucket(1, per(1s)), {.max_keys = SIZE_MAX}};
  EXPECT_TRUE(most.check("mira"));
  RateLimiter least{token_bucket(1, per(1s)), {.max_memory = 88}};
  EXPECT_TRUE(least.check("mira"));
}

TEST(RateLimiter, EmptyBracesAreOptionsWhereAKeyCouldBeMeant) {
  RateLimiter one{token_bucket(1, per(24h)), {.clock = virtual_clock()}};
  EXPECT_TRUE(one.acquire({}));
  EXPECT_FALSE(one.check());
  EXPECT_TRUE(one.check(Key{}));
  EXPECT_FALSE(one.check(""));
  const Acquisition unused = one.acquire_async({});
}

// What comes late takes nothing from what a bucket knows.
TEST(RateLimiter, ARefundThatComesTooLateMintsNothing) {
  const auto clock = virtual_clock();
  const Time now = clock->now() + 1s;
  for (const Limit& limit :
       {Limit(fixed_window(3, per(10s))), sliding_log(3, per(10s)), sliding_counter(3, per(10s))}) {
    const auto exercise = [&](auto... key) {
      for (const Cost late : {Cost{0}, Cost{1}}) {
        RateLimiter window{limit, {.clock = clock}};
        int admitted = 0;
        for (int round = 0; round < 5; ++round) {
          while (window.check(key..., Cost{1}, now)) ++admitted;
          window.refund(key..., late, now + 40s);
          if (late.units() == 0) window.charge(key..., late, now + 40s);
        }
        EXPECT_EQ(admitted, 3) << describe(limit);
      }
    };
    exercise();
    exercise(Key("mira"));
  }
}

// Behind what the own clock did, a `now` gets no more than at that time.
TEST(RateLimiter, AGivenTimeBehindTheOwnClockGetsNoMore) {
  std::mt19937_64 random(17);
  for (const Limit& limit : {Limit(token_bucket(5, per(10s))), Limit(fixed_window(5, per(10s))),
                             sliding_log(5, per(10s)), sliding_counter(5, per(10s))}) {
    for (int round = 0; round < 200; ++round) {
      const auto clock = virtual_clock();
      RateLimiter limiter{limit, {.clock = clock}};
      for (int step = 0; step < 10; ++step) {
        clock->advance(std::chrono::milliseconds(draw(random, 0, 8000)));
        (void)limiter.check(Cost{draw(random, 0, 3)});
        (void)limiter.check("mira", Cost{draw(random, 0, 3)});
        if (draw(random, 0, 2) == 0) limiter.refund("mira", Cost{draw(random, 0, 2)});
        const Time behind = clock->now() - std::chrono::milliseconds(draw(random, 0, 30'000));
        ASSERT_LE(limiter.peek(Cost{1}, behind).remaining, limiter.peek().remaining) << describe(limit);
        ASSERT_LE(limiter.peek("mira", Cost{1}, behind).remaining, limiter.peek("mira").remaining)
            << describe(limit);
      }
    }
  }
}

TEST(RateLimiter, AdmitsItsBurstAndSaysWhenThereIsMore) {
  const auto clock = virtual_clock();
  RateLimiter chat{token_bucket(5, per(10s)).burst(10), {.clock = clock}};
  for (std::uint64_t left = 10; left-- > 0;) {
    const Outcome said = chat.check("mira");
    ASSERT_TRUE(said);
    EXPECT_EQ(said.remaining, left);
    EXPECT_EQ(said.retry_after, Wait());
  }
  const Outcome denied = chat.check("mira");
  EXPECT_EQ(denied.admission, Admission::not_until);
  EXPECT_EQ(denied.retry_after.get(), 2s);
  EXPECT_EQ(denied.limit, 10U);
  EXPECT_EQ(denied.reset_after, 20s);
  EXPECT_TRUE(chat.check("tomo"));
  clock->advance(2s - 1ns);
  EXPECT_EQ(chat.check("mira").retry_after.whole_seconds(), 1s);
  clock->advance(1ns);
  EXPECT_TRUE(chat.check("mira"));
}

TEST(RateLimiter, OnlyWhatChangesSomethingMovesTheTime) {
  const Time t0 = VirtualClock::kStart;
  for (const Limit& limit : {Limit(token_bucket(1, per(1s))), Limit(fixed_window(1, per(1s))),
                             Limit(sliding_log(1, per(1s))), Limit(sliding_counter(1, per(1s)))}) {
    RateLimiter one{limit, {.clock = virtual_clock()}};
    EXPECT_TRUE(one.check("k", Cost{1}, t0));
    EXPECT_TRUE(one.peek("k", Cost{1}, t0 + 1h));
    EXPECT_FALSE(one.check("other", Cost{9}, t0 + 1h));
    EXPECT_TRUE(one.check("other", Cost{0}, t0 + 1h));
    one.refund("other", Cost{1}, t0 + 1h);
    const std::array<Key, 2> keys{Key("other"), Key("another")};
    std::array<Outcome, 2> outcomes;
    one.check_each(keys, outcomes, Cost{9}, t0 + 1h);
    EXPECT_FALSE(one.check_all(keys, Cost{9}, t0 + 1h));
    EXPECT_FALSE(one.check("k", Cost{1}, t0 + 1ms)) << describe(limit);
    EXPECT_TRUE(one.check("other", Cost{1}, t0 + 1h));
    EXPECT_TRUE(one.check("k", Cost{1}, t0 + 1ms)) << describe(limit);  // counts as an hour later

    EXPECT_TRUE(one.check(Cost{1}, t0));
    EXPECT_TRUE(one.peek(Cost{1}, t0 + 1h));
    EXPECT_FALSE(one.check(Cost{9}, t0 + 1h));
    EXPECT_TRUE(one.check(Cost{0}, t0 + 1h));
    one.refund(Cost{1}, t0 + 1h);
    EXPECT_FALSE(one.check(Cost{1}, t0 + 1ms)) << describe(limit);
  }
}

TEST(Outcome, NeverIsNoNumber) {
  const auto clock = virtual_clock();
  RateLimiter blocked{token_bucket(0, per(1s)), {.clock = clock}};
  const Outcome said = blocked.check();
  EXPECT_EQ(said.admission, Admission::never);
  EXPECT_TRUE(said.retry_after.is_never());
  EXPECT_THROW((void)said.retry_after.get(), std::logic_error);
  EXPECT_THROW((void)said.retry_after.whole_seconds(), std::logic_error);
  EXPECT_GT(said.retry_after, Wait::of(std::chrono::nanoseconds::max()));
  EXPECT_TRUE(blocked.check("anyone").retry_after.is_never());
  EXPECT_FALSE(Outcome());
  EXPECT_TRUE(Outcome().retry_after.is_never());

  RateLimiter small{token_bucket(5, per(1s)), {.clock = clock}};
  EXPECT_EQ(small.check(Cost{6}).admission, Admission::never);
  EXPECT_EQ(small.peek().remaining, 5U);
}

TEST(Cost, IsSpelledOutAndNeverNegative) {
  EXPECT_THROW((void)Cost{-1}, std::invalid_argument);
  static_assert(!std::is_convertible_v<int, Cost>);
  const auto clock = virtual_clock();
  RateLimiter limiter{token_bucket(5, per(1s)), {.clock = clock}};
  EXPECT_EQ(limiter.check(5).remaining, 4U);  // key 5
  EXPECT_EQ(limiter.check(Cost{5}).remaining, 0U);
  EXPECT_TRUE(limiter.check(Cost{0}));
}

TEST(Key, EveryListOfPartsIsAnother) {
  const auto clock = virtual_clock();
  RateLimiter once{fixed_window(1, per(24h)), {.clock = clock}};
  const std::string b_c = "b_c";
  const std::string zeros("\0\0", 2);
  EXPECT_TRUE(once.check({"a", b_c}));
  EXPECT_TRUE(once.check({"a_b", "c"}));
  EXPECT_TRUE(once.check("a_b_c"));
  EXPECT_TRUE(once.check({"a", "b", "c"}));
  EXPECT_TRUE(once.check({"a", "", "b_c"}));
  EXPECT_TRUE(once.check(""));
  EXPECT_TRUE(once.check(zeros));
  EXPECT_TRUE(once.check(zeros.substr(1)));
  EXPECT_TRUE(once.check(42));
  EXPECT_TRUE(once.check("42"));
  EXPECT_TRUE(once.check(-42));
  EXPECT_TRUE(once.check({"guild", 42}));
  EXPECT_TRUE(once.check({"guild", "42"}));
  EXPECT_TRUE(once.check(std::string(100'000, 'x')));
  EXPECT_TRUE(once.check({std::string(100'000, 'x'), std::string("y")}));

  EXPECT_FALSE(once.check({std::string("a"), std::string("b_c")}));
  EXPECT_FALSE(once.check(std::uint64_t{42}));
  EXPECT_FALSE(once.check(std::int8_t{-42}));
  EXPECT_FALSE(once.check({"guild", std::int64_t{42}}));
  const std::array<KeyPart, 1> one{"42"};
  EXPECT_FALSE(once.check(Key(std::span<const KeyPart>(one))));
}

TEST(RateLimiter, RefundsAndChargesStopAtOneCapacity) {
  const auto clock = virtual_clock();
  RateLimiter limiter{token_bucket(10, per(10s)), {.clock = clock}};
  const auto exercise = [&](auto... key) {
    EXPECT_EQ(limiter.check(key..., Cost{4}).remaining, 6U);
    limiter.refund(key..., Cost{100});
    EXPECT_EQ(limiter.peek(key...).remaining, 10U);
    limiter.charge(key..., Cost{1000});
    EXPECT_EQ(limiter.peek(key...).retry_after.get(), 11s);
  };
  exercise();
  exercise(Key("mira"));
}

TEST(RateLimiter, ChargesDeniedRequestsWhenTold) {
  const auto clock = virtual_clock();
  for (const Limit& limit : {Limit(token_bucket(2, per(2s))), sliding_counter(2, per(2s))}) {
    RateLimiter limiter{limit, {.clock = clock, .charge_denied = true}};
    for (int i = 0; i < 10; ++i) (void)limiter.check();
    for (int i = 0; i < 10; ++i) (void)limiter.check("mira");
    EXPECT_GT(limiter.peek().retry_after, Wait::of(1s)) << describe(limit);
    EXPECT_GT(limiter.peek("mira").retry_after, Wait::of(1s)) << describe(limit);
  }
}

TEST(RateLimiter, ChecksAllOfSeveralKeysOrNone) {
  const auto clock = virtual_clock();
  RateLimiter trade{token_bucket(2, per(2s)), {.clock = clock}};
  EXPECT_TRUE(trade.check("mira"));
  const std::array<Key, 2> both{Key("mira"), Key("tomo")};
  const Outcome said = trade.check_all(both);
  ASSERT_TRUE(said);
  EXPECT_EQ(said.remaining, 0U);
  EXPECT_EQ(trade.check_all(both).retry_after.get(), 1s);
  EXPECT_EQ(trade.peek("tomo").remaining, 1U);
  EXPECT_TRUE(trade.check_all({}));
  const std::array<Key, 2> twice{Key("zoe"), Key("zoe")};
  EXPECT_TRUE(trade.check_all(twice));
  EXPECT_FALSE(trade.check("zoe"));
}

TEST(RateLimiter, ChecksEachOfManyKeysInOrder) {
  const auto clock = virtual_clock();
  RateLimiter limiter{token_bucket(3, per(3s)), {.clock = clock}};
  std::vector<Key> keys;
  for (int i = 0; i < 100; ++i) keys.emplace_back(i % 25);
  std::vector<Outcome> outcomes(keys.size());
  limiter.check_each(keys, outcomes);
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(outcomes[i].admitted(), i < 75) << i;
  outcomes.pop_back();
  EXPECT_THROW(limiter.check_each(keys, outcomes), std::invalid_argument);
}

TEST(RateLimiter, SaysWhatATableThatIsFullSays) {
  for (const bool allow : {false, true}) {
    const auto clock = virtual_clock();
    RateLimiter limiter{token_bucket(1, per(1h)),
                        {.clock = clock, .max_keys = 10, .allow_when_full = allow, .hash_seed = 1}};
    int admitted = 0;
    for (int key = 0; key < 1000; ++key) admitted += limiter.check(key) ? 1 : 0;
    EXPECT_EQ(admitted == 1000, allow);
  }
}

// Law 5, in both forms: the sequence of design.md, and what is told to a caller whose clock is behind.
TEST(RateLimiter, MintsNothingWhenTimeStepsBack) {
  const auto at = [](int s) { return VirtualClock::kStart + std::chrono::seconds(s); };
  for (const Limit& limit :
       {Limit(token_bucket(1, per(1s))), Limit(leaky_bucket(1, per(1s))), sliding_log(1, per(1s))}) {
    RateLimiter limiter{limit, {.clock = virtual_clock()}};
    std::string single;
    std::string keyed;
    for (const int s : {10, 5, 10, 5, 10, 11}) {
      single += limiter.check(Cost{1}, at(s)) ? 'A' : 'D';
      keyed += limiter.check("mira", Cost{1}, at(s)) ? 'A' : 'D';
    }
    EXPECT_EQ(single, "ADDDDA") << describe(limit);
    EXPECT_EQ(keyed, "ADDDDA") << describe(limit);
    // It is 11 for the limiter, and 12 when there is more.
    EXPECT_EQ(limiter.check(Cost{1}, at(5)).retry_after.get(), 7s) << describe(limit);
    EXPECT_EQ(limiter.check("mira", Cost{1}, at(5)).retry_after.get(), 7s) << describe(limit);
  }
}

TEST(RateLimiter, ReadsATimeBeforeTheLatestAsThat) {
  const auto at = [](int s) { return VirtualClock::kStart + std::chrono::seconds(s); };
  RateLimiter limiter{token_bucket(1, per(1s)).burst(10), {.clock = virtual_clock()}};
  EXPECT_EQ(limiter.check(Cost{1}, at(100)).remaining, 9U);
  EXPECT_EQ(limiter.check(Cost{1}, at(5)).remaining, 8U);
  EXPECT_EQ(limiter.check("mira", Cost{1}, at(100)).remaining, 9U);
  EXPECT_EQ(limiter.check("mira", Cost{1}, at(5)).remaining, 8U);
  // Long before it was made.
  EXPECT_EQ(limiter.check(Cost{1}, Time()).remaining, 7U);
}

TEST(RateLimiter, MovesWithItsBuckets) {
  const auto clock = virtual_clock();
  RateLimiter one{token_bucket(1, per(1s)), {.clock = clock}};
  EXPECT_TRUE(one.check());
  RateLimiter two = std::move(one);
  EXPECT_FALSE(two.check());
  two = RateLimiter{token_bucket(2, per(1s)), {.clock = clock}};
  EXPECT_TRUE(two.check(Cost{2}));
}

TEST(RateLimiter, RunsOnTheMachinesClockByDefault) {
  RateLimiter limiter{token_bucket(1, per(24h))};
  const Time before = limiter.now();
  EXPECT_TRUE(limiter.check());
  EXPECT_FALSE(limiter.check());
  EXPECT_TRUE(limiter.check("mira"));
  EXPECT_FALSE(limiter.check("mira"));
  EXPECT_GE(limiter.now(), before);
  EXPECT_LT(std::chrono::abs(limiter.now() - std::chrono::system_clock::now()), 1h);
}

// ---- Against the oracle ----

Limit random_limit(std::mt19937_64& random) {
  const std::uint64_t quota = draw(random, 0, 12);
  const auto span =
      static_cast<Nanos>(draw(random, 1, 3) == 1 ? draw(random, 1, 50) : draw(random, 1, 5) * kSecond);
  const Period period(span);
  switch (draw(random, 0, 5)) {
    case 0:
      return token_bucket(quota, period).burst(draw(random, 1, 15));
    case 1:
      return gcra(quota, period);
    case 2:
      return leaky_bucket(quota, period).burst(draw(random, 0, 5));
    case 3:
      return fixed_window(quota, period);
    case 4:
      return sliding_log(quota, period);
    default:
      return sliding_counter(quota, period);
  }
}

void expect_same(const Outcome& said, const Verdict& right, const std::string& where) {
  ASSERT_EQ(said.admitted(), right.allowed) << where;
  ASSERT_EQ(said.limit, right.limit) << where;
  ASSERT_EQ(said.remaining, right.remaining) << where;
  ASSERT_EQ(said.reset_after.count(), right.reset_after) << where;
  ASSERT_EQ(said.delay.count(), right.delay) << where;
  if (right.allowed) {
    ASSERT_EQ(said.retry_after, Wait()) << where;
  } else if (right.retry_after) {
    ASSERT_EQ(said.admission, Admission::not_until) << where;
    ASSERT_EQ(said.retry_after.get().count(), *right.retry_after) << where;
  } else {
    ASSERT_EQ(said.admission, Admission::never) << where;
  }
}

/// One sequence of calls on one bucket of a limiter, and on the oracle.
template <class... K>
void follow_the_oracle(std::mt19937_64& random, const Limit& limit, bool charge_denied, K... key) {
  const auto clock = virtual_clock();
  RateLimiter limiter{limit, {.clock = clock, .max_keys = 100, .charge_denied = charge_denied}};
  test::Oracle oracle(limit);
  const Nanos per = std::get<Nanos>(limit.per);
  for (int step = 0; step < 60; ++step) {
    clock->advance(std::chrono::nanoseconds(
        draw(random, 0, 1) == 0
            ? 0
            : static_cast<Nanos>(draw_edgy(random, 2 * static_cast<std::uint64_t>(per)))));
    const Nanos now = clock->now().time_since_epoch().count();
    const std::uint64_t cost = draw(random, 0, 4);
    const std::string where = describe(limit) + " step " + std::to_string(step);
    switch (draw(random, 0, 9)) {
      case 0:
        limiter.refund(key..., Cost{cost});
        oracle.refund(now, cost);
        break;
      case 1:
        limiter.charge(key..., Cost{cost});
        oracle.charge(now, cost);
        break;
      case 2:
        expect_same(limiter.peek(key..., Cost{cost}), oracle.peek(now, cost), where);
        break;
      default:
        expect_same(limiter.check(key..., Cost{cost}),
                    oracle.decide(now, {.cost = cost, .charge_denied = charge_denied}), where);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(RateLimiterLaws, BothFormsSayWhatTheOracleSays) {
  std::mt19937_64 random(3);
  for (int round = 0; round < test::effort(600) && !HasFatalFailure(); ++round) {
    const Limit limit = random_limit(random);
    const bool charge_denied = draw(random, 0, 3) == 0;
    follow_the_oracle(random, limit, charge_denied);
    if (!HasFatalFailure()) follow_the_oracle(random, limit, charge_denied, Key("mira"));
  }
}

// Law 4, to the nanosecond.
TEST(RateLimiterLaws, WaitingRetryAfterAdmitsAndANanosecondLessDoesNot) {
  std::mt19937_64 random(4);
  for (int round = 0; round < test::effort(500); ++round) {
    const Limit limit = random_limit(random);
    const auto clock = virtual_clock();
    RateLimiter limiter{limit, {.clock = clock}};
    for (int step = 0; step < 20; ++step) {
      const Outcome said = limiter.check(Cost{draw(random, 1, 3)});
      if (said.admission != Admission::not_until) continue;
      const auto wait = said.retry_after.get();
      ASSERT_GT(wait, 0ns);
      const Cost same{1};
      clock->advance(0ns);
      const Outcome one = limiter.peek(same);
      if (one.admitted()) continue;
      clock->advance(one.retry_after.get() - 1ns);
      ASSERT_FALSE(limiter.peek(same)) << describe(limit);
      clock->advance(1ns);
      ASSERT_TRUE(limiter.check(same)) << describe(limit);
    }
  }
}

// ---- Threads ----

TEST(RateLimiterRaces, OfAHundredExactlyFivePass) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  for (const Limit& limit :
       {Limit(token_bucket(5, per(24h))), Limit(leaky_bucket(5, per(24h)).burst(4)),
        Limit(fixed_window(5, per(24h))), sliding_log(5, per(24h)), sliding_counter(5, per(24h))}) {
    const auto clock = virtual_clock();
    std::unique_ptr<RateLimiter> limiter;
    const auto fresh = [&] {
      limiter = std::make_unique<RateLimiter>(limit, RateLimiterOptions{.clock = clock});
    };
    fresh();
    std::atomic<int> admitted{0};
    int wrong = 0;
    test::race(
        kThreads, test::effort(kRounds),
        [&](int, int) {
          for (int i = 0; i < 100 / kThreads; ++i) admitted += limiter->check() ? 1 : 0;
        },
        [&](int) {
          wrong += admitted.exchange(0) == 5 ? 0 : 1;
          fresh();
        });
    EXPECT_EQ(wrong, 0) << describe(limit);
  }
}

TEST(RateLimiterRaces, WhatIsChargedAndGivenBackAddsUp) {
  const auto clock = virtual_clock();
  RateLimiter limiter{token_bucket(1'000'000, per(24h)), {.clock = clock}};
  test::race(
      4, 1,
      [&](int, int) {
        for (int i = 0; i < test::effort(20'000); ++i) {
          (void)limiter.check(Cost{3});
          limiter.refund(Cost{1});
          limiter.charge("all", Cost{2});
          limiter.refund("all", Cost{1});
        }
      },
      [](int) {});
  const auto calls = static_cast<std::uint64_t>(4 * test::effort(20'000));
  EXPECT_EQ(limiter.peek().remaining, 1'000'000U - 2 * calls);
  EXPECT_EQ(limiter.peek("all").remaining, 1'000'000U - calls);
}

}  // namespace
}  // namespace weir
