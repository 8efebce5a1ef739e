// 128-bit unsigned integers, in which products of two 64-bit numbers are exact.
#pragma once

#include <cstdint>

namespace weir {

__extension__ typedef unsigned __int128 Wide;

/// n * a / b without a rounding before the division. REQUIRES: b > 0.
constexpr Wide mul_div_floor(std::uint64_t n, std::uint64_t a, std::uint64_t b) {
  return Wide{n} * a / b;
}

constexpr Wide ceil_div(Wide a, Wide b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace weir
