// Debt: what a bucket may owe beyond its capacity. At most one capacity, in every algorithm.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir {

/// `used` after `cost` more, whatever is left, stopping at twice the capacity. Never less than `used`.
/// REQUIRES: capacity <= kMaxQuota.
constexpr std::uint64_t used_after(std::uint64_t used, std::uint64_t cost, std::uint64_t capacity) {
  const std::uint64_t most = 2 * capacity;
  return used >= most ? used : used + std::min(cost, most - used);
}

}  // namespace weir
