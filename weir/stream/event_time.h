// The event time of formats that leave it to their writers: json, csv, tsv and regex.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "weir/base/time.h"

namespace weir {

/// The fields that hold the time of a record; the first of them that is there counts.
inline constexpr std::array<std::string_view, 4> kTimeFields = {"time", "timestamp", "ts", "@timestamp"};

/// RFC 3339, whose zone may be left out for UTC, or decimal seconds since 1970, an exponent included; exact
/// to the nanosecond. Nothing when it is neither, or does not fit.
std::optional<Nanos> parse_event_time(std::string_view text);

}  // namespace weir
