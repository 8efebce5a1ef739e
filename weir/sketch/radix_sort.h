// Sorting doubles by their bits: two to five times as fast as comparing them, for the few thousand of a
// buffer.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weir {

/// Sorts finite doubles, a byte of them at a time from the lowest on (least significant digit first). Bytes
/// that all share are passed over. `room` is made as large as `values`.
inline void radix_sort(std::vector<double>& values, std::vector<double>& room) {
  // Bits whose order as unsigned numbers is that of the doubles.
  const auto key_of = [](double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return bits ^ ((0 - (bits >> 63U)) | std::uint64_t{1} << 63U);
  };
  std::array<std::array<std::uint32_t, 256>, 8> starts{};
  for (const double value : values) {
    const std::uint64_t key = key_of(value);
    for (unsigned digit = 0; digit < 8; ++digit) ++starts[digit][key >> 8 * digit & 0xFFU];
  }
  room.resize(values.size());
  for (unsigned digit = 0; digit < 8 && !values.empty(); ++digit) {
    std::array<std::uint32_t, 256>& start = starts[digit];
    if (start[key_of(values[0]) >> 8 * digit & 0xFFU] == values.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& count : start) sum += std::exchange(count, sum);
    for (const double value : values) room[start[key_of(value) >> 8 * digit & 0xFFU]++] = value;
    values.swap(room);
  }
}

}  // namespace weir
