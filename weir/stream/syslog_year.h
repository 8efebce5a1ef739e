// Which year a syslog stamp such as "Mar 27 13:06:56" means.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/time.h"

namespace weir {

struct YearlessStamp {
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  Nanos fraction = 0;
};

/// Counts the New Years between the first stamp of a log and the one at hand. A step back of more than half a
/// year is a New Year; a smaller one is a log that is not sorted. Days are counted as in a leap year, so that
/// the count does not depend on the year that is looked for.
class YearCounter {
 public:
  /// Years after the year of the first stamp. A stamp of last year that comes late, up to a week after New
  /// Year, belongs to last year.
  int place(const YearlessStamp& stamp);

 private:
  bool started_ = false;
  int year_ = 0;
  std::int64_t latest_ = 0;  // seconds since the beginning of year_
};

/// Finds the years of a log's stamps: from a given first year; or, for a file, so that no stamp is after the
/// file's own time and the last one is as late as that allows; or else, for each stamp by itself, the latest
/// year that is not after now. Stamps are local time of wherever they were written, which a log does not say:
/// they are read as UTC, and "after" grants them the 14 hours that a clock can be ahead of UTC.
class SyslogYears {
 public:
  SyslogYears(Nanos now, std::optional<int> first_year) : now_(now), first_year_(first_year) {}

  /// Whether a file must be surveyed before its stamps can be resolved.
  bool needs_survey() const { return !first_year_; }
  void survey(const YearlessStamp& stamp);
  /// A log begins. What was surveyed belongs to it.
  void begin(std::optional<Nanos> modified);
  /// Nothing when there is no such date in its year, or it does not fit.
  std::optional<Nanos> resolve(const YearlessStamp& stamp);

 private:
  struct Survey {
    YearCounter counter;
    std::optional<YearlessStamp> last;  // the latest stamp of last_year
    int last_year = 0;
    std::vector<int> leap_years;  // in which there was a 29 February
  };

  std::optional<int> fitting_first_year(Nanos limit) const;

  Nanos now_;
  std::optional<int> first_year_;
  Survey survey_;
  std::optional<int> base_;  // the first year of the log being read
  YearCounter counter_;
};

}  // namespace weir
