// The open tables inside DataSketches' HyperLogLog: entries of value << 26 | key in the order in which its
// images hold them. 0 is an empty place.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::hll_detail {

inline constexpr unsigned kKeyBits = 26;
inline constexpr std::uint32_t kKeyMask = (std::uint32_t{1} << kKeyBits) - 1;

constexpr unsigned value_of(std::uint32_t entry) {
  return entry >> kKeyBits;
}
constexpr std::uint32_t make_entry(std::uint32_t key, unsigned value) {
  return value << kKeyBits | (key & kKeyMask);
}

/// The place of the entry whose masked bits are those of `wanted`, or the empty one where it belongs. The
/// step comes from the bits of the key above those that chose the first place. REQUIRES: `table` has a power
/// of two of places and an empty one.
inline std::size_t find_place(std::span<const std::uint32_t> table, std::uint32_t wanted,
                              std::uint32_t compared) {
  const std::size_t mask = table.size() - 1;
  const auto lg = static_cast<unsigned>(std::countr_zero(table.size()));
  const std::size_t step = (wanted & kKeyMask) >> lg | 1U;
  std::size_t place = wanted & mask;
  while (table[place] != 0 && ((table[place] ^ wanted) & compared) != 0) place = (place + step) & mask;
  return place;
}

/// The places that the table of exceptions begins with, which DataSketches fixes for each lg_k.
/// REQUIRES: lg_k <= 21.
inline std::size_t first_exceptions(unsigned lg_k) {
  constexpr std::array<std::uint8_t, 22> kLg{0, 2, 2, 2, 2, 2, 2, 3,  3,  3,  4,
                                             4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  return std::size_t{1} << kLg[lg_k];
}

/// Whether a table with this many entries is over three quarters full.
constexpr bool is_crowded(std::size_t entries, std::size_t places) {
  return 4 * entries > 3 * places;
}

}  // namespace weir::hll_detail
