#include "weir/stream/syslog_year.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace weir {
namespace {

YearlessStamp stamp(int month, int day, int hour = 0) {
  return {.month = month, .day = day, .hour = hour};
}

Nanos date(int year, int month, int day, int hour = 0) {
  return *from_civil(year, month, day, hour, 0, 0);
}

/// The years of the stamps of a file that was last written at `modified`.
std::vector<std::optional<Nanos>> resolve_file(const std::vector<YearlessStamp>& stamps, Nanos modified,
                                               std::optional<int> first_year = std::nullopt) {
  SyslogYears years(date(2030, 1, 1), first_year);
  for (const YearlessStamp& each : stamps) years.survey(each);
  years.begin(modified);
  std::vector<std::optional<Nanos>> times;
  for (const YearlessStamp& each : stamps) times.push_back(years.resolve(each));
  return times;
}

using Times = std::vector<std::optional<Nanos>>;

TEST(SyslogYears, TakesTheLatestYearNotAfterTheFile) {
  const Nanos modified = date(2024, 3, 28);
  EXPECT_EQ(resolve_file({stamp(3, 27)}, modified), Times{date(2024, 3, 27)});
  EXPECT_EQ(resolve_file({stamp(3, 28)}, modified), Times{date(2024, 3, 28)});
  EXPECT_EQ(resolve_file({stamp(3, 30)}, modified), Times{date(2023, 3, 30)});
  EXPECT_EQ(resolve_file({stamp(12, 31)}, modified), Times{date(2023, 12, 31)});
}

TEST(SyslogYears, GrantsTheDistanceOfLocalTimeFromUtc) {
  const Nanos modified = date(2024, 3, 28, 0);
  EXPECT_EQ(resolve_file({stamp(3, 28, 9)}, modified), Times{date(2024, 3, 28, 9)});
  EXPECT_EQ(resolve_file({stamp(3, 28, 15)}, modified), Times{date(2023, 3, 28, 15)});
}

TEST(SyslogYears, GoesOnToTheNextYearAtNewYear) {
  const std::vector<YearlessStamp> stamps = {stamp(11, 5), stamp(12, 31, 23), stamp(1, 1), stamp(3, 1)};
  const Times expected = {date(2023, 11, 5), date(2023, 12, 31, 23), date(2024, 1, 1), date(2024, 3, 1)};
  EXPECT_EQ(resolve_file(stamps, date(2024, 3, 2)), expected);
  EXPECT_EQ(resolve_file(stamps, date(2024, 12, 31)), expected);
  EXPECT_EQ(resolve_file(stamps, date(2030, 1, 1), 2023), expected);
}

TEST(SyslogYears, CountsSeveralNewYears) {
  const Times expected = {date(2021, 10, 1), date(2022, 2, 1), date(2022, 9, 1), date(2023, 1, 5)};
  EXPECT_EQ(resolve_file({stamp(10, 1), stamp(2, 1), stamp(9, 1), stamp(1, 5)}, date(2023, 6, 1)), expected);
}

TEST(SyslogYears, StepsBackWithinTheYearAreNoNewYear) {
  const Times expected = {date(2023, 6, 1), date(2023, 5, 1), date(2023, 6, 2), date(2023, 1, 15)};
  EXPECT_EQ(resolve_file({stamp(6, 1), stamp(5, 1), stamp(6, 2), stamp(1, 15)}, date(2023, 7, 1)), expected);
}

TEST(SyslogYears, AStragglerAfterNewYearBelongsToTheOldYear) {
  const std::vector<YearlessStamp> stamps = {stamp(12, 31, 23), stamp(1, 1, 1), stamp(12, 31, 22),
                                             stamp(1, 1, 2)};
  const Times expected = {date(2022, 12, 31, 23), date(2023, 1, 1, 1), date(2022, 12, 31, 22),
                          date(2023, 1, 1, 2)};
  EXPECT_EQ(resolve_file(stamps, date(2023, 7, 1)), expected);
}

TEST(SyslogYears, PutsTheTwentyNinthOfFebruaryInALeapYear) {
  EXPECT_EQ(resolve_file({stamp(2, 29)}, date(2023, 7, 1)), Times{date(2020, 2, 29)});
  EXPECT_EQ(resolve_file({stamp(2, 29), stamp(3, 5)}, date(2024, 3, 6)),
            (Times{date(2024, 2, 29), date(2024, 3, 5)}));
  EXPECT_EQ(resolve_file({stamp(12, 1), stamp(2, 29)}, date(2023, 3, 6)),
            (Times{date(2019, 12, 1), date(2020, 2, 29)}));
  EXPECT_EQ(resolve_file({stamp(2, 29)}, date(2030, 1, 1), 2023), Times{std::nullopt});
}

TEST(SyslogYears, ANewFileBeginsAnew) {
  SyslogYears years(date(2030, 1, 1), std::nullopt);
  years.survey(stamp(12, 1));
  years.survey(stamp(1, 1));
  years.begin(date(2024, 1, 2));
  EXPECT_EQ(years.resolve(stamp(12, 1)), date(2023, 12, 1));
  EXPECT_EQ(years.resolve(stamp(1, 1)), date(2024, 1, 1));
  years.survey(stamp(5, 1));
  years.begin(date(2024, 6, 1));
  EXPECT_EQ(years.resolve(stamp(5, 1)), date(2024, 5, 1));
}

TEST(SyslogYears, AGivenFirstYearGoesOnThroughTheFiles) {
  SyslogYears years(date(2030, 1, 1), 2019);
  EXPECT_FALSE(years.needs_survey());
  years.begin(date(2024, 1, 2));
  EXPECT_EQ(years.resolve(stamp(12, 1)), date(2019, 12, 1));
  years.begin(date(2024, 1, 2));
  EXPECT_EQ(years.resolve(stamp(1, 1)), date(2020, 1, 1));
}

TEST(SyslogYears, APipeTakesEachStampByItself) {
  SyslogYears years(date(2024, 3, 28), std::nullopt);
  years.begin(std::nullopt);
  EXPECT_EQ(years.resolve(stamp(3, 27)), date(2024, 3, 27));
  EXPECT_EQ(years.resolve(stamp(3, 30)), date(2023, 3, 30));
  EXPECT_EQ(years.resolve(stamp(2, 29)), date(2024, 2, 29));
  EXPECT_EQ(years.resolve(stamp(12, 31)), date(2023, 12, 31));
  EXPECT_EQ(years.resolve(stamp(2, 30)), std::nullopt);
}

RC_GTEST_PROP(SyslogYears, FindTheYearsOfASortedLog, ()) {
  // Hours after a start, with gaps of less than half a year, as a log that is still written to has them.
  const auto gaps = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 180 * 24)));
  const auto start = *rc::gen::inRange<Nanos>(0, 50LL * 365 * 24);
  std::vector<YearlessStamp> stamps;
  Times times;
  Nanos now = start * kHour;
  for (const int gap : gaps) {
    now += gap * kHour;
    const std::string text = format_rfc3339(now);
    stamps.push_back(
        stamp(std::stoi(text.substr(5, 2)), std::stoi(text.substr(8, 2)), std::stoi(text.substr(11, 2))));
    times.emplace_back(now);
  }
  RC_ASSERT(resolve_file(stamps, now) == times);
}

}  // namespace
}  // namespace weir
