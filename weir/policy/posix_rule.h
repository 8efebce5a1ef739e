// The rule by which a zone changes its clocks year after year, in the form of POSIX's TZ variable.
#pragma once

#include <optional>
#include <string_view>

#include "weir/base/time.h"

namespace weir {

class PosixRule {
 public:
  /// "GMT0BST,M3.5.0/1,M10.5.0". Nothing for zones that do not change their clocks, and for the forms that
  /// count days (Jn and n), which no zone uses today.
  static std::optional<PosixRule> parse(std::string_view text);

  struct Change {
    Nanos at;
    /// Local time minus UTC from then on.
    Nanos offset;
  };
  /// When summer time begins and ends in a year of 1970 to 2200.
  Change summer(int year) const;
  Change winter(int year) const;

 private:
  /// The `week`th (5: the last) `weekday` (0: Sunday) of a month, and a time of day, which may lie outside
  /// that day.
  struct Day {
    unsigned month = 1;
    unsigned week = 1;
    unsigned weekday = 0;
    Nanos time = 2 * kHour;
  };
  static std::optional<Day> take_day(std::string_view& text);
  static Nanos local_time(const Day& day, int year);

  Nanos winter_offset_ = 0;
  Nanos summer_offset_ = 0;
  Day summer_;
  Day winter_;
};

}  // namespace weir
