// Numbers as they stand in logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

/// A decimal number and nothing else: "200", "-1.5", "+2", "1e6". Nothing for "-", for text, for infinities
/// and for what no double holds.
std::optional<double> parse_number(std::string_view text);

/// "200", "-7": a whole number of 64 bits and nothing else.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace weir
