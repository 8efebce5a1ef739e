// The instants that a condition compares `time` with.
#pragma once

#include <string_view>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {

struct WhereTime {
  Nanos instant;
  /// It was written as a day alone, whose first instant this is.
  bool is_day = false;
};

/// RFC 3339, whose seconds may be left out, and whose zone, which is UTC then: "2024-05-01T10:00:00+02:00",
/// "2024-05-01 10:00". A day: "2024-05-01". Seconds since 1970: "1714557600.25". Errors: the end of a
/// sentence that begins with what was found.
Result<WhereTime> parse_where_time(std::string_view text);

}  // namespace weir
