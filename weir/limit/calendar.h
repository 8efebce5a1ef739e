// Calendar periods: days, weeks, months and years of a time zone, which are not all equally long.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/time.h"

namespace weir {

/// [start, end)
struct Window {
  Nanos start;
  Nanos end;
  bool operator==(const Window&) const = default;
};

/// The offsets of a time zone from UTC over time, as plain numbers: who reads them from a database is not our
/// concern.
struct Zone {
  /// `offset` (local time minus UTC) holds from `from` until the next one's `from`.
  struct Span {
    Nanos from;
    Nanos offset;
    bool operator==(const Span&) const = default;
  };
  std::string name;
  /// Ordered by `from`; the first reaches back without end, the last forward.
  std::vector<Span> spans;
  bool operator==(const Zone&) const = default;
};

enum class CalendarUnit : std::uint8_t { day, week, month, year };

/// "1 day", "1 week" (Monday), "1 month" or "1 year" in a zone, from a time of day on.
/// Where clocks are put forward over that time of day, the period begins when they are; where it comes twice,
/// at the first.
class Calendar {
 public:
  /// UTC when `zone` is null. REQUIRES: 0 <= reset_at < 24 h.
  explicit Calendar(CalendarUnit unit, std::shared_ptr<const Zone> zone = nullptr, Nanos reset_at = 0)
      : unit_(unit), zone_(std::move(zone)), reset_at_(reset_at) {}

  /// The period that `now` falls into. Periods leave no gap and do not overlap.
  Window at(Nanos now) const;

  CalendarUnit unit() const { return unit_; }
  /// "1 day", and with a zone or a reset hour "1 day (Asia/Seoul from 05:00)".
  std::string describe() const;
  bool operator==(const Calendar& other) const;

 private:
  Nanos local(Nanos utc) const;
  Nanos utc(Nanos local) const;

  CalendarUnit unit_;
  std::shared_ptr<const Zone> zone_;
  Nanos reset_at_;
};

std::string_view name(CalendarUnit unit);

/// "1 day", "1 week", "1 month", "1 year"; nothing else is a calendar period.
std::optional<CalendarUnit> parse_calendar_unit(std::string_view text);

}  // namespace weir
