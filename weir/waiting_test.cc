// Waiting: in order, with a deadline, called off; by a clock that is moved by hand, and by the machine's.
#include "weir/waiting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/store_races.h"
#include "weir/policy_limiter.h"
#include "weir/rate_limiter.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class WaitingTest : public testing::Test {
 protected:
  RateLimiter limiter(const Limit& limit) { return RateLimiter{limit, {.clock = clock_}}; }

  /// Waits, and writes "name end seconds " when it ends.
  template <class... K>
  void wait(RateLimiter& on, const std::string& name, WaitOptions options, K... key) {
    on.acquire_then(key..., std::move(options), [this, name](const Waited& waited) { write(name, waited); });
  }
  void write(const std::string& name, const Waited& waited) {
    constexpr const char* kEnds[] = {"admitted", "never", "too late", "cancelled", "closed"};
    const auto at = clock_->now() - VirtualClock::kStart;
    said_ += name + " " + kEnds[static_cast<int>(waited.end)] + " " + std::to_string(at / 1s) + "; ";
  }
  std::string said() { return std::exchange(said_, ""); }

  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>();
  std::string said_;
};

TEST_F(WaitingTest, IsAdmittedAtOnceWhereThereIsRoom) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  wait(one, "a", {});
  EXPECT_EQ(said(), "a admitted 0; ");
  EXPECT_TRUE(one.acquire("key"));
}

TEST_F(WaitingTest, ServesThoseOfOneBucketInOrder) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  for (const char* name : {"a", "b", "c"}) wait(one, name, {});
  wait(one, "other", {}, Key("mira"));
  EXPECT_EQ(said(), "a admitted 0; other admitted 0; ");
  clock_->advance(10s - 1ns);
  EXPECT_EQ(said(), "");
  clock_->advance(1ns);
  EXPECT_EQ(said(), "b admitted 10; ");
  clock_->advance(1h);
  EXPECT_EQ(said(), "c admitted 20; ");
}

TEST_F(WaitingTest, ASmallOneDoesNotOvertakeALargeOne) {
  RateLimiter bucket = limiter(token_bucket(10, per(10s)));
  EXPECT_TRUE(bucket.check(Cost{9}));
  wait(bucket, "large", {.cost = Cost{5}});
  wait(bucket, "small", {.cost = Cost{1}});
  EXPECT_EQ(said(), "");
  clock_->advance(1min);
  EXPECT_EQ(said(), "large admitted 4; small admitted 5; ");
}

TEST_F(WaitingTest, SaysAtOnceWhatCannotBeInTime) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  EXPECT_TRUE(one.check());
  wait(one, "late", {.within = 10s - 1ns});
  wait(one, "never", {.cost = Cost{2}});
  wait(one, "now", {.within = 0s});
  EXPECT_EQ(said(), "late too late 0; never never 0; now too late 0; ");
  wait(one, "just", {.within = 10s});
  wait(one, "queued", {.within = 15s});
  clock_->advance(1h);
  // When it is the first, at 10 s, more than its time is missing.
  EXPECT_EQ(said(), "just admitted 10; queued too late 10; ");
  EXPECT_EQ(one.peek().remaining, 1U);
}

TEST_F(WaitingTest, ADeadlineHoldsInTheLineToo) {
  RateLimiter bucket = limiter(token_bucket(10, per(10s)));
  EXPECT_TRUE(bucket.check(Cost{9}));
  wait(bucket, "first", {.cost = Cost{10}});
  wait(bucket, "second", {.within = 3s});  // alone, it would be admitted now
  wait(bucket, "third", {});
  clock_->advance(5s);
  EXPECT_EQ(said(), "second too late 3; ");
  clock_->advance(15s);
  EXPECT_EQ(said(), "first admitted 9; third admitted 10; ");
}

TEST_F(WaitingTest, CalledOffChargesNothing) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  std::stop_source stop;
  std::stop_source before;
  before.request_stop();
  wait(one, "before", {.stop = before.get_token()});
  EXPECT_EQ(said(), "before cancelled 0; ");
  EXPECT_TRUE(one.check());
  wait(one, "a", {.stop = stop.get_token()});
  wait(one, "b", {});
  clock_->advance(5s);
  stop.request_stop();
  EXPECT_EQ(said(), "a cancelled 5; ");
  clock_->advance(5s);
  EXPECT_EQ(said(), "b admitted 10; ");
}

TEST_F(WaitingTest, AFirstThatLeavesMakesWayForASmallerOne) {
  RateLimiter bucket = limiter(token_bucket(10, per(10s)));
  EXPECT_TRUE(bucket.check(Cost{8}));
  std::stop_source stop;
  wait(bucket, "large", {.cost = Cost{10}, .stop = stop.get_token()});
  wait(bucket, "small", {.cost = Cost{2}});
  EXPECT_EQ(said(), "");
  stop.request_stop();
  EXPECT_EQ(said(), "large cancelled 0; small admitted 0; ");
}

TEST_F(WaitingTest, WhatIsGivenBackIsHadAtOnce) {
  RateLimiter one = limiter(token_bucket(2, per(2h)));
  auto held = one.reserve("mira", Cost{1}, 30s);
  EXPECT_TRUE(one.check("mira"));
  wait(one, "a", {}, Key("mira"));
  wait(one, "b", {}, Key("mira"));
  wait(one, "c", {}, Key("mira"));
  one.refund("mira");
  EXPECT_EQ(said(), "a admitted 0; ");
  clock_->advance(30s);  // the hold lapses, though nobody calls
  EXPECT_EQ(said(), "b admitted 30; ");
  EXPECT_EQ(held.commit(Cost{0}), Settlement::late);
}

TEST_F(WaitingTest, ALeakyBucketsDelayIsWaited) {
  RateLimiter queue = limiter(leaky_bucket(1, per(10s)).burst(2));
  for (const char* name : {"a", "b", "c", "d"}) wait(queue, name, {});
  wait(queue, "late", {.within = 15s});  // d is before it
  EXPECT_EQ(said(), "a admitted 0; ");
  EXPECT_FALSE(queue.check());
  clock_->advance(1h);
  EXPECT_EQ(said(), "b admitted 10; late too late 10; c admitted 20; d admitted 30; ");
}

TEST_F(WaitingTest, WhoLeavesALeakyBucketsQueueGivesUpThePlace) {
  RateLimiter queue = limiter(leaky_bucket(1, per(10s)).burst(2));
  std::stop_source stop;
  wait(queue, "a", {});
  wait(queue, "b", {.stop = stop.get_token()});
  wait(queue, "c", {});
  wait(queue, "d", {});
  said();
  clock_->advance(5s);
  stop.request_stop();
  clock_->advance(1h);
  EXPECT_EQ(said(), "b cancelled 5; c admitted 10; d admitted 20; ");
  wait(queue, "e", {});
  wait(queue, "late", {.within = 9s});  // its turn would be in ten
  EXPECT_EQ(queue.peek().remaining, 2U);
}

TEST_F(WaitingTest, APlaceStaysEmptyWhereSomeoneBehindItDoesNotWaitHere) {
  RateLimiter queue = limiter(leaky_bucket(1, per(10s)).burst(4));
  std::stop_source stop;
  wait(queue, "a", {});
  wait(queue, "b", {.stop = stop.get_token()});
  EXPECT_EQ(queue.check().delay, 20s);
  wait(queue, "d", {});
  said();
  clock_->advance(5s);
  stop.request_stop();
  EXPECT_EQ(queue.check().delay, 35s);  // behind d
  clock_->advance(1h);
  EXPECT_EQ(said(), "b cancelled 5; d admitted 30; ");
}

TEST_F(WaitingTest, APlaceStaysEmptyWhereSomeoneComesLastWithoutWaiting) {
  RateLimiter queue = limiter(leaky_bucket(1, per(10s)).burst(4));
  std::stop_source stop;
  wait(queue, "a", {});
  wait(queue, "b", {.stop = stop.get_token()});
  wait(queue, "c", {});
  EXPECT_EQ(queue.check().delay, 30s);
  said();
  clock_->advance(5s);
  stop.request_stop();
  EXPECT_EQ(queue.check().delay, 35s);
  clock_->advance(1h);
  EXPECT_EQ(said(), "b cancelled 5; c admitted 20; ");
}

TEST_F(WaitingTest, PlacesOfFractionsOfANanosecondAreGivenUpToo) {
  RateLimiter queue = limiter(leaky_bucket(3, per(1s)).burst(5));
  std::stop_source stop;
  wait(queue, "a", {});
  wait(queue, "b", {.stop = stop.get_token()});
  for (const char* name : {"c", "d", "e"}) wait(queue, name, {});
  said();
  stop.request_stop();
  EXPECT_LE(queue.check().delay, 1334ms);
  clock_->advance(1001ms);
  EXPECT_EQ(said(), "b cancelled 0; c admitted 0; d admitted 0; e admitted 1; ");
}

TEST_F(WaitingTest, APlaceInAPolicysQueueIsGivenUpByWhoIsLast) {
  PolicyLimiter queue = PolicyLimiter::parse(R"(
    domain: test
    rules:
      - name: mail
        key: []
        limit: {algorithm: leaky_bucket, quota: 1, per: 10s, burst: 4}
        action: delay
    )",
                                             {.clock = clock_})
                            .value();
  const auto join = [&](const std::string& name, WaitOptions options) {
    queue.acquire_then({}, std::move(options), [this, name](const Waited& waited) { write(name, waited); });
  };
  std::stop_source second;
  std::stop_source last;
  join("a", {});
  join("b", {.stop = second.get_token()});
  join("c", {.stop = last.get_token()});
  last.request_stop();
  join("d", {});
  second.request_stop();
  clock_->advance(1h);
  EXPECT_EQ(said(), "a admitted 0; c cancelled 0; b cancelled 0; d admitted 20; ");
}

TEST_F(WaitingTest, EndsAsClosedWhenTheLimiterGoes) {
  {
    RateLimiter one = limiter(leaky_bucket(1, per(10s)).burst(5));
    for (const char* name : {"a", "b"}) wait(one, name, {});
    RateLimiter two = limiter(token_bucket(1, per(10s)));
    EXPECT_TRUE(two.check());
    wait(two, "c", {});
    said();
  }
  EXPECT_EQ(said(), "c closed 0; b closed 0; ");
  clock_->advance(1h);
  EXPECT_EQ(said(), "");
}

TEST_F(WaitingTest, ACallbackMayEndItsLimiterAndWaitAgain) {
  auto one = std::make_unique<RateLimiter>(token_bucket(1, per(10s)), RateLimiterOptions{.clock = clock_});
  EXPECT_TRUE(one->check());
  one->acquire_then({}, [&](const Waited& first) {
    write("first", first);
    one->acquire_then({}, [&](const Waited& second) {
      write("second", second);
      one.reset();
    });
  });
  clock_->advance(1h);
  EXPECT_EQ(said(), "first admitted 10; second admitted 20; ");
  EXPECT_EQ(one, nullptr);
}

// ---- Coroutines ----

/// Runs to its first suspension at once; nobody waits for it.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

TEST_F(WaitingTest, SuspendsACoroutine) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  const auto work = [&](std::string name, WaitOptions options) -> Detached {
    for (int i = 0; i < 2; ++i) write(name, co_await one.acquire_async("mira", options));
  };
  work("a", {});
  EXPECT_EQ(said(), "a admitted 0; ");
  work("b", {.within = 15s});
  EXPECT_EQ(said(), "");
  clock_->advance(1h);
  EXPECT_EQ(said(), "a admitted 10; b too late 10; b admitted 20; ");
}

/// Suspended until somebody destroys it.
struct Owned {
  struct promise_type {
    Owned get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

TEST_F(WaitingTest, ACoroutineThatIsDestroyedCallsItsWaitOff) {
  RateLimiter one = limiter(token_bucket(1, per(10s)));
  EXPECT_TRUE(one.check("mira"));
  std::stop_source stop;
  const auto work = [&](std::string name, WaitOptions options) -> Owned {
    write(name, co_await one.acquire_async("mira", options));
  };
  work("a", {.stop = stop.get_token()}).handle.destroy();
  stop.request_stop();
  const Owned left = work("b", {});
  clock_->advance(10s);
  EXPECT_EQ(said(), "b admitted 10; ");  // a charged nothing
  left.handle.destroy();
  std::stop_source other;
  const Owned stopped = work("c", {.stop = other.get_token()});
  other.request_stop();
  EXPECT_EQ(said(), "c cancelled 10; ");
  stopped.handle.destroy();
  clock_->advance(1h);
  EXPECT_EQ(said(), "");
}

// ---- Policies ----

TEST_F(WaitingTest, WaitsForAPolicy) {
  PolicyLimiter limiter = PolicyLimiter::parse(R"(
domain: test
rules:
  - {name: account, key: [account], limit: {quota: 1, per: 10s}}
  - {name: all, key: [], limit: {quota: 1, per: 5s}}
)",
                                               {.clock = clock_})
                              .value();
  std::stop_source stop;
  const auto go = [&](const char* account, WaitOptions options) {
    const std::string name = account;
    limiter.acquire_then({{"account", name}}, std::move(options),
                         [this, name](const Waited& waited) { write(name, waited); });
  };
  for (const char* account : {"mira", "mira", "tomo"}) go(account, {});
  go("zoe", {.stop = stop.get_token()});
  go("ada", {.within = 1s});
  EXPECT_EQ(said(), "mira admitted 0; ada too late 0; ");
  stop.request_stop();
  clock_->advance(1h);
  EXPECT_EQ(said(), "zoe cancelled 0; tomo admitted 5; mira admitted 10; ");
}

// ---- The machine's clock, and threads ----

TEST(WaitingThreads, WakesByItself) {
  RateLimiter fast{token_bucket(1, per(1ms))};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(fast.acquire());
  EXPECT_EQ(fast.acquire({.cost = Cost{2}}).end, WaitEnd::never);
  RateLimiter slow{token_bucket(1, per(24h))};
  EXPECT_TRUE(slow.acquire());
  EXPECT_EQ(slow.acquire({.within = 1s}).end, WaitEnd::too_late);
}

TEST(WaitingThreads, ABlockedOneIsFreedWhenTheLimiterGoes) {
  auto slow = std::make_unique<RateLimiter>(token_bucket(1, per(24h)));
  EXPECT_TRUE(slow->check());
  std::atomic<int> closed{0};
  std::vector<std::thread> waiting;
  std::atomic<int> begun{0};
  for (int i = 0; i < 3; ++i) {
    slow->acquire_then({}, [&](const Waited& waited) { closed += waited.end == WaitEnd::closed ? 1 : 0; });
  }
  std::stop_source stop;
  waiting.emplace_back([&, token = stop.get_token()] {
    ++begun;
    closed += slow->acquire({.stop = token}).end == WaitEnd::cancelled ? 1 : 0;
  });
  stop.request_stop();
  waiting[0].join();
  slow.reset();
  EXPECT_EQ(closed, 4);
}

// Whatever meets whatever: each wait ends once, and no more is admitted than the limit gives.
TEST(WaitingThreads, CancellationsAndAdmissionsThatRaceAddUp) {
  constexpr int kThreads = 4;
  constexpr int kWaits = 25;
  for (const Limit& limit : {Limit(fixed_window(30, per(24h))), Limit(token_bucket(30, per(24h)))}) {
    std::unique_ptr<RateLimiter> one;
    std::vector<std::stop_source> stops;
    std::atomic<int> admitted{0};
    std::atomic<int> cancelled{0};
    std::atomic<int> other{0};
    const auto begin = [&] {
      one = std::make_unique<RateLimiter>(limit);
      stops = std::vector<std::stop_source>(kThreads * kWaits);
    };
    begin();
    int wrong = 0;
    test::race(
        kThreads, test::effort(60),
        [&](int thread, int) {
          for (int i = 0; i < kWaits; ++i) {
            const int mine = thread * kWaits + i;
            one->acquire_then({.stop = stops[static_cast<std::size_t>(mine)].get_token()},
                              [&](const Waited& waited) {
                                if (waited.admitted()) {
                                  ++admitted;
                                } else {
                                  ++(waited.end == WaitEnd::cancelled ? cancelled : other);
                                }
                              });
            // Somebody else's as often as one's own; a stop that is asked for twice is one.
            stops[static_cast<std::size_t>((mine + i % 2 * kWaits) % (kThreads * kWaits))].request_stop();
          }
        },
        [&](int) {
          for (std::stop_source& stop : stops) stop.request_stop();
          const std::uint64_t left = one->peek(Cost{0}).remaining;
          if (admitted + cancelled != kThreads * kWaits || other != 0 ||
              left != 30U - static_cast<unsigned>(admitted.load())) {
            ++wrong;
          }
          admitted = cancelled = other = 0;
          begin();
        });
    EXPECT_EQ(wrong, 0) << describe(limit);
  }
}

TEST(WaitingThreads, ManyWaitAndAllAreServed) {
  constexpr int kWaits = 200;
  RateLimiter fast{token_bucket(10'000, per(1s)).burst(1)};
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kWaits / 4; ++i) admitted += fast.acquire("mira").admitted() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, kWaits);
}

// ---- The timers themselves ----

TEST(TimerQueue, RunsInOrderAndDropsWhatIsCancelled) {
  const auto clock = std::make_shared<VirtualClock>();
  std::string ran;
  {
    TimerQueue timers(clock);
    const auto in = [&](std::chrono::seconds s, char name) {
      return timers.schedule(VirtualClock::kStart + s, [&ran, name] { ran += name; });
    };
    in(3s, 'c');
    in(1s, 'a');
    in(1s, 'b');
    const TimerId dropped = in(2s, 'x');
    in(60s, 'z');
    EXPECT_TRUE(timers.cancel(dropped));
    EXPECT_FALSE(timers.cancel(dropped));
    EXPECT_FALSE(timers.cancel(TimerId{}));
    clock->advance(1s);
    EXPECT_EQ(ran, "ab");
    clock->advance(10s);
    EXPECT_EQ(ran, "abc");
  }
  clock->advance(1h);
  EXPECT_EQ(ran, "abc");
  EXPECT_THROW(clock->advance(-1s), std::invalid_argument);
}

TEST(TimerQueue, MayEndInsideOfItsOwnAction) {
  auto timers = std::make_shared<TimerQueue>();
  std::atomic<bool> ran{false};
  const auto* raw = timers.get();
  const auto clock = timers->clock();
  auto owner = std::make_shared<std::shared_ptr<TimerQueue>>(std::move(timers));
  (*owner)->schedule(clock->now(), [owner, raw, &ran] {
    EXPECT_EQ(owner->get(), raw);
    owner->reset();
    ran = true;
    ran.notify_all();
  });
  ran.wait(false);
}

}  // namespace
}  // namespace weir
