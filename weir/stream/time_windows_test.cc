#include "weir/stream/time_windows.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "weir/stream/time_histogram.h"

namespace weir {
namespace {

using Windows = std::vector<std::pair<Nanos, std::uint64_t>>;

struct Divided {
  Windows windows{};
  std::uint64_t late = 0;
  std::uint64_t untimed = 0;
};

Divided divide(WindowOptions options, const std::vector<std::optional<Nanos>>& times) {
  Divided out;
  std::uint64_t open = 0;
  TimeWindows windows(
      options, 0, [&](const Record& record) { open += record.weight; },
      [&](Nanos begin) {
        out.windows.emplace_back(begin, open);
        open = 0;
      });
  for (const auto& time : times) {
    Record record;
    record.time = time;
    EXPECT_TRUE(windows.add(record));
  }
  EXPECT_TRUE(windows.finish());
  out.late = windows.late();
  out.untimed = windows.untimed();
  return out;
}

TEST(TimeWindows, are_aligned_to_the_epoch_before_and_after_it) {
  const Divided sorted =
      divide({.every = 10, .sort_all = true}, {25, -1, -10, -11, 0, 9, 10, 29, std::nullopt});
  EXPECT_EQ(sorted.windows, (Windows{{-20, 1}, {-10, 2}, {0, 2}, {10, 1}, {20, 2}}));
  EXPECT_EQ(sorted.untimed, 1U);
  EXPECT_EQ(sorted.late, 0U);
}

TEST(TimeWindows, of_a_pipe_leave_out_what_comes_too_late_for_its_window) {
  const WindowOptions options{.every = 10, .lateness = 5};
  EXPECT_EQ(divide(options, {1, 12, 9, 30, 11}).windows, (Windows{{0, 2}, {10, 2}, {30, 1}}));
  EXPECT_EQ(divide(options, {1, 12, 9, 30, 11}).late, 0U);  // its window is still the last that was given out
  EXPECT_EQ(divide(options, {1, 12, 30, 40, 2}).late, 1U);
  EXPECT_EQ(divide(options, {1, 12, 30, 40, 2}).windows, (Windows{{0, 1}, {10, 1}, {30, 1}, {40, 1}}));
}

TEST(TimeWindows, of_a_pipe_say_how_late_it_was) {
  TimeWindows windows(
      {.every = 10, .lateness = 5}, 0, [](const Record&) {}, [](Nanos) {});
  for (const Nanos time : {1, 12, 30, 40, 2}) {
    Record record;
    record.time = time;
    EXPECT_TRUE(windows.add(record));
  }
  EXPECT_EQ(windows.worst_lateness(), 38);
  EXPECT_EQ(windows.lateness(), 5);
}

TEST(TimeWindows, of_the_ends_of_time_do_not_wrap) {
  constexpr Nanos kFirst = std::numeric_limits<Nanos>::min();
  const Divided ends = divide({.every = kDay, .sort_all = true}, {kForever, kFirst, 0});
  ASSERT_EQ(ends.windows.size(), 3U);
  EXPECT_EQ(ends.windows.front().first, kFirst);
}

TEST(TimeHistogram, counts_all_in_any_order_in_bounded_room) {
  TimeHistogram histogram;
  std::uint64_t added = 0;
  constexpr Nanos kStep = 7 * kHour + kSecond;
  constexpr Nanos kSteps = 400 * kDay / kStep;
  for (Nanos i = 0; i < kSteps; ++i) {
    histogram.add(i * 7919 % kSteps * kStep, 2);
    added += 2;
  }
  const auto slots = histogram.slots();
  EXPECT_LE(slots.size(), TimeHistogram::kMostSlots);
  EXPECT_GT(slots.size(), TimeHistogram::kMostSlots / 4);
  std::uint64_t counted = 0;
  for (const auto& slot : slots) {
    counted += slot.count;
    EXPECT_EQ(slot.begin % histogram.slot(), 0);
  }
  EXPECT_EQ(counted, added);
  EXPECT_EQ(histogram.slot() % kDay, 0);
}

TEST(TimeHistogram, bears_the_ends_of_time) {
  TimeHistogram histogram;
  histogram.add(std::numeric_limits<Nanos>::min(), 1);
  histogram.add(kForever, 1);
  EXPECT_LE(histogram.slots().size(), 2U);
}

}  // namespace
}  // namespace weir
