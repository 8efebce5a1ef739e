#include "weir/limit/calendar.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/bucket.h"
#include "tests/support/random.h"

namespace weir {
namespace {

Nanos at(std::string_view text) {
  return parse_rfc3339(text).value();
}

std::int64_t seconds_left(const Calendar& calendar, std::string_view now) {
  return (calendar.at(at(now)).end - at(now)) / kSecond;
}
std::int64_t length(const Calendar& calendar, std::string_view now) {
  const Window window = calendar.at(at(now));
  return (window.end - window.start) / kSecond;
}

/// London's changes of 2016, as a zone database tells them.
std::shared_ptr<const Zone> london() {
  return std::make_shared<Zone>(Zone{"Europe/London",
                                     {{at("2015-10-25T01:00:00Z"), 0},
                                      {at("2016-03-27T01:00:00Z"), kHour},
                                      {at("2016-10-30T01:00:00Z"), 0},
                                      {at("2017-03-26T01:00:00Z"), kHour}}});
}

// A month is not thirty days.
TEST(Calendar, MonthsAreAsLongAsTheyAre) {
  const Calendar month(CalendarUnit::month);
  EXPECT_EQ(seconds_left(month, "2026-02-10T00:00:00Z"), 1'641'600);
  EXPECT_EQ(seconds_left(month, "2026-01-31T23:59:59Z"), 1);
  EXPECT_EQ(seconds_left(month, "2026-02-01T00:00:00Z"), 2'419'200);
  EXPECT_EQ(length(month, "2026-02-10T00:00:00Z"), 2'419'200);
  EXPECT_EQ(length(month, "2028-02-10T00:00:00Z"), 2'505'600);
  EXPECT_EQ(length(month, "2026-04-30T23:59:59Z"), 2'592'000);
}

TEST(Calendar, WeeksBeginOnMonday) {
  const Calendar week(CalendarUnit::week);
  EXPECT_EQ(week.at(at("2026-11-30T00:00:00Z")).start, at("2026-11-30T00:00:00Z"));  // a Monday
  EXPECT_EQ(week.at(at("2026-11-29T23:59:59Z")).start, at("2026-11-23T00:00:00Z"));
  EXPECT_EQ(week.at(at("1970-01-01T00:00:00Z")).start, at("1969-12-29T00:00:00Z"));
}

TEST(Calendar, YearsKnowLeapDays) {
  const Calendar year(CalendarUnit::year);
  EXPECT_EQ(length(year, "2026-06-01T00:00:00Z"), 365 * 86'400);
  EXPECT_EQ(length(year, "2028-06-01T00:00:00Z"), 366 * 86'400);
}

// Days across daylight saving: 25 hours and 23, and 24 in UTC.
TEST(Calendar, DaysAreLongerAndShorterWhereClocksChange) {
  const Calendar day(CalendarUnit::day, london());
  EXPECT_EQ(length(day, "2016-10-30T12:00:00Z"), 90'000);
  EXPECT_EQ(length(day, "2016-10-29T12:00:00Z"), 86'400);
  EXPECT_EQ(length(day, "2016-10-31T12:00:00Z"), 86'400);
  EXPECT_EQ(length(day, "2016-03-27T12:00:00Z"), 82'800);
  EXPECT_EQ(length(Calendar(CalendarUnit::day), "2016-10-30T12:00:00Z"), 86'400);
}

TEST(Calendar, BeginsAtTheResetHour) {
  const auto seoul = std::make_shared<Zone>(Zone{"Asia/Seoul", {{0, 9 * kHour}}});
  const Calendar day(CalendarUnit::day, seoul, 5 * kHour);
  EXPECT_EQ(day.at(at("2026-11-30T04:59:59+09:00")).start, at("2026-11-29T05:00:00+09:00"));
  EXPECT_EQ(day.at(at("2026-11-30T05:00:00+09:00")).start, at("2026-11-30T05:00:00+09:00"));
  EXPECT_EQ(day.describe(), "1 day (Asia/Seoul from 05:00)");
}

// 01:30 does not exist on 27 March and comes twice on 30 October.
TEST(Calendar, BeginsOnceWhereTheResetHourIsSkippedOrRepeated) {
  const Calendar day(CalendarUnit::day, london(), 90 * kMinute);
  EXPECT_EQ(day.at(at("2016-03-27T12:00:00Z")).start, at("2016-03-27T01:00:00Z"));
  EXPECT_EQ(day.at(at("2016-10-30T12:00:00Z")).start, at("2016-10-30T00:30:00Z"));
  // The second 01:10 of that day lies after the first 01:30.
  EXPECT_EQ(day.at(at("2016-10-30T01:10:00Z")).start, at("2016-10-30T00:30:00Z"));
}

// A zone that skipped a whole day.
TEST(Calendar, LeavesNoGapWhereADayIsMissing) {
  const auto apia = std::make_shared<Zone>(
      Zone{"Pacific/Apia", {{0, -10 * kHour}, {at("2011-12-30T10:00:00Z"), 14 * kHour}}});
  const Calendar day(CalendarUnit::day, apia);
  const Window before = day.at(at("2011-12-30T09:59:59Z"));
  const Window after = day.at(at("2011-12-30T10:00:00Z"));
  EXPECT_EQ(before.end, after.start);
  EXPECT_EQ(after.start, at("2011-12-30T10:00:00Z"));
}

TEST(Calendar, PeriodsHoldTheirInstantsAndMeetWithoutGapOrOverlap) {
  std::mt19937_64 random(5);
  for (const auto unit : {CalendarUnit::day, CalendarUnit::week, CalendarUnit::month, CalendarUnit::year}) {
    for (int i = 0; i < 3000; ++i) {
      const Nanos reset = static_cast<Nanos>(test::draw(random, 0, 47)) * 30 * kMinute;
      const Calendar calendar(unit, london(), reset);
      const Nanos now =
          at("2016-01-01T00:00:00Z") + static_cast<Nanos>(test::draw(random, 0, 400ULL * 86'400)) * kSecond;
      const Window window = calendar.at(now);
      ASSERT_LE(window.start, now);
      ASSERT_LT(now, window.end);
      ASSERT_EQ(calendar.at(window.start), window);
      ASSERT_EQ(calendar.at(window.end - 1), window);
      ASSERT_EQ(calendar.at(window.end).start, window.end);
    }
  }
}

TEST(Calendar, IsDefinedToTheEndsOfTime) {
  for (const auto unit : {CalendarUnit::day, CalendarUnit::week, CalendarUnit::month, CalendarUnit::year}) {
    for (const Nanos now :
         {kForever, kForever - kDay, std::numeric_limits<Nanos>::min(), Nanos{0}, Nanos{-1}}) {
      const Window window = Calendar(unit, london(), kHour).at(now);
      EXPECT_LE(window.start, now);
      EXPECT_GE(window.end, now);
    }
  }
}

// A log in local time that steps back an hour: nothing is admitted twice.
TEST(FixedWindow, AdmitsNothingTwiceWhenLocalTimeStepsBack) {
  test::Bucket bucket(
      {.algorithm = Algorithm::fixed_window, .quota = 1, .per = Calendar(CalendarUnit::day, london())});
  EXPECT_TRUE(bucket.decide(at("2016-10-30T00:59:59Z")).allowed);
  EXPECT_FALSE(bucket.decide(at("2016-10-30T00:00:00Z")).allowed);
  EXPECT_FALSE(bucket.decide(at("2016-10-30T23:59:59Z")).allowed);
  EXPECT_TRUE(bucket.decide(at("2016-10-31T00:00:00Z")).allowed);
}

TEST(Calendar, UnitsAreSpelledWithASpace) {
  EXPECT_EQ(parse_calendar_unit("1 month"), CalendarUnit::month);
  for (const auto* text : {"1month", "2 month", "1 months", "month", "1  day", "1d", ""}) {
    EXPECT_FALSE(parse_calendar_unit(text)) << text;
  }
}

}  // namespace
}  // namespace weir
