#include "weir/base/clock.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

// The wall clock steps, back and forward: server time goes on as if it had not.
TEST(ServerClock, IgnoresStepsOfTheWallClock) {
  const ServerClock clock({.wall = 100 * kSecond, .since_boot = 5 * kSecond});
  EXPECT_EQ(clock.at({.wall = 100 * kSecond, .since_boot = 5 * kSecond}), 100 * kSecond);
  EXPECT_EQ(clock.at({.wall = 89 * kSecond, .since_boot = 5 * kSecond}), 100 * kSecond);
  EXPECT_EQ(clock.at({.wall = 100 * kSecond + kHour, .since_boot = 6 * kSecond}), 101 * kSecond);
}

TEST(ServerClock, StartsAtTheWallAndNeverGoesBack) {
  const ClockReading start = read_system_clocks();
  const ServerClock clock(start);
  Nanos last = clock.at(start);
  EXPECT_EQ(last, start.wall);
  for (int i = 0; i < 1000; ++i) {
    const Nanos now = clock.at(read_system_clocks());
    ASSERT_GE(now, last);
    last = now;
  }
}

}  // namespace
}  // namespace weir
