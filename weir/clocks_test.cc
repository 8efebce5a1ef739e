// The clock that is moved by hand: to its end, and from inside of what it rings.
#include "weir/clocks.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "weir/rate_limiter.h"
#include "weir/timer_queue.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(VirtualClock, ReachesTheEndOfTimeThoughSomebodyWaited) {
  const auto clock = std::make_shared<VirtualClock>();
  RateLimiter one{token_bucket(1, per(1h)), {.clock = clock}};
  EXPECT_TRUE(one.check());
  bool admitted = false;
  one.acquire_then({}, [&](const Waited& waited) { admitted = waited.admitted(); });
  clock->advance(2h);
  EXPECT_TRUE(admitted);
  clock->advance(std::chrono::nanoseconds::max());
  EXPECT_EQ(clock->now(), Time::max());
}

TEST(VirtualClock, WhatIsSetForTheEndOfTimeNeverComes) {
  const auto clock = std::make_shared<VirtualClock>();
  TimerQueue timers(clock);
  bool ran = false;
  const TimerId last = timers.schedule(Time::max(), [&] { ran = true; });
  RateLimiter one{token_bucket(1, per(1h)), {.clock = clock}};
  clock->advance(std::chrono::nanoseconds::max());
  EXPECT_TRUE(one.check());
  one.acquire_then({}, [&](const Waited&) {});  // asks again at the end of time, for ever
  clock->advance(1s);
  EXPECT_FALSE(ran);
  EXPECT_TRUE(timers.cancel(last));
}

TEST(VirtualClock, NeverGoesBackWhenWhatIsDueAdvancesIt) {
  const auto clock = std::make_shared<VirtualClock>();
  TimerQueue timers(clock);
  timers.schedule(VirtualClock::kStart + 1s, [&] { clock->advance(1h); });
  Time seen;
  timers.schedule(VirtualClock::kStart + 2s, [&] { seen = clock->now(); });
  clock->advance(10s);
  EXPECT_EQ(seen, VirtualClock::kStart + 2s);
  EXPECT_EQ(clock->now(), VirtualClock::kStart + 1s + 1h);
}

TEST(TimerQueue, WantsAClock) {
  EXPECT_THROW(TimerQueue{nullptr}, std::invalid_argument);
}

}  // namespace
}  // namespace weir
