#include "weir/replay/trailing_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace weir {
namespace {

struct Given {
  Nanos time;
  std::uint64_t units;
};

std::uint64_t sum_in(const std::vector<Given>& all, Nanos time, Nanos per) {
  std::uint64_t sum = 0;
  for (const Given& one : all) {
    if (one.time > time - per && one.time <= time) sum += one.units;
  }
  return sum;
}

RC_GTEST_PROP(TrailingWindow, counts_what_a_plain_sum_counts, ()) {
  const Nanos per = *rc::gen::inRange<Nanos>(1, 20);
  const auto steps = *rc::gen::container<std::vector<Nanos>>(rc::gen::inRange<Nanos>(0, 8));
  TrailingWindow window;
  std::vector<Given> all;
  Nanos now = -10;
  for (const Nanos step : steps) {
    now += step;
    const auto units = *rc::gen::inRange<std::uint64_t>(0, 5);
    all.push_back({now, units});
    RC_ASSERT(window.add(now, units, per) == sum_in(all, now, per));
  }
}

TEST(TrailingWindow, begins_just_after_one_period_ago) {
  TrailingWindow window;
  EXPECT_EQ(window.add(0, 3, 10), 3U);
  EXPECT_EQ(window.add(9, 1, 10), 4U);
  EXPECT_EQ(window.add(10, 1, 10), 2U);
}

TEST(TrailingWindow, reads_a_step_back_as_the_latest_time) {
  TrailingWindow window;
  window.add(100, 1, 10);
  EXPECT_EQ(window.add(5, 1, 10), 2U);
  EXPECT_EQ(window.add(109, 1, 10), 3U);
}

TEST(TrailingWindow, stops_at_the_largest_number) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  TrailingWindow window;
  EXPECT_EQ(window.add(0, most, 10), most);
  EXPECT_EQ(window.add(0, most, 10), most);
  EXPECT_EQ(window.add(5, 1, 10), most);
  EXPECT_EQ(window.add(11, 1, 10), 2U);
}

TEST(TrailingWindow, holds_at_the_ends_of_time) {
  TrailingWindow window;
  EXPECT_EQ(window.add(std::numeric_limits<Nanos>::min(), 1, kForever), 1U);
  EXPECT_EQ(window.add(0, 1, kForever), 1U + 0U);
  EXPECT_EQ(window.add(kForever, 1, 1), 1U);
}

}  // namespace
}  // namespace weir
