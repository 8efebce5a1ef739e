// The time stamp of web servers: 17/May/2015:10:05:03 +0000.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "weir/base/time.h"

namespace weir {

/// Reads such stamps. The lines of a log mostly share all but the seconds with the line before, so that one
/// is kept.
class AccessTime {
 public:
  static constexpr std::size_t kLength = 26;

  /// Nothing when `stamp` is not a whole stamp, no date, or beyond what Nanos holds.
  std::optional<Nanos> parse(std::string_view stamp);

 private:
  static constexpr std::size_t kMinutePart = 18;  // "17/May/2015:10:05:"
  static constexpr std::size_t kZonePart = 20;    // " +0000"

  std::array<char, kLength> known_{};
  Nanos minute_ = 0;
};

}  // namespace weir
