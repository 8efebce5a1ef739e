// English month names, as Unix logs write them.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "weir/base/text.h"

namespace weir {

/// "Jan" -> 1. REQUIRES: three bytes.
constexpr std::optional<int> month_number(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (int i = 0; i < 12; ++i) {
    if (kMonths[static_cast<std::size_t>(i)] == name) return i + 1;
  }
  return std::nullopt;
}

/// Two digits at the front of `text`; -1 when they are not. REQUIRES: two bytes.
constexpr int two_digits(std::string_view text) {
  if (!is_digit(text[0]) || !is_digit(text[1])) return -1;
  return (text[0] - '0') * 10 + (text[1] - '0');
}

}  // namespace weir
