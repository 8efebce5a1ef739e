// How many values each level of a KLL sketch holds, as DataSketches counts them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weir::kll_detail {

/// No level is smaller, and DataSketches writes it down.
inline constexpr std::size_t kLeastWidth = 8;
inline constexpr std::size_t kMostLevels = 61;

/// k * (2/3)^depth, rounded, at least 8; depth 0 is the top.
constexpr std::size_t level_capacity(unsigned k, std::size_t depth) {
  if (depth > 30) return kLeastWidth;
  std::uint64_t power_of_three = 1;
  for (std::size_t i = 0; i < depth; ++i) power_of_three *= 3;
  const std::uint64_t doubled = (std::uint64_t{2} * k << depth) / power_of_three;
  return std::max(kLeastWidth, static_cast<std::size_t>((doubled + 1) / 2));
}

/// Of all levels together.
constexpr std::size_t total_capacity(unsigned k, std::size_t levels) {
  std::size_t total = 0;
  for (std::size_t depth = 0; depth < levels; ++depth) total += level_capacity(k, depth);
  return total;
}

}  // namespace weir::kll_detail
