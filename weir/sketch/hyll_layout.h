// The layout of Redis's HyperLogLog: a head of 16 bytes ("HYLL", encoding, three zeros, the cached count),
// then 16,384 registers of 6 bits, or runs of equal registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir::hyll {

inline constexpr std::size_t kHead = 16;
inline constexpr std::size_t kEncodingAt = 4;
inline constexpr std::size_t kCountAt = 8;
/// The highest bit of the cached count says that it is out of date.
inline constexpr std::size_t kStaleAt = 15;
inline constexpr unsigned char kStaleBit = 0x80;
inline constexpr char kDense = 0;
inline constexpr char kSparse = 1;

inline constexpr std::size_t kMaxShortZeros = 64;
inline constexpr unsigned kMaxSparseValue = 32;
inline constexpr std::size_t kMaxRun = 4;
/// What a register can be at most: 50 bits of hash are left for it.
inline constexpr unsigned kMaxValue = 51;

/// A run of equal registers, in one byte or two.
struct Run {
  unsigned value;
  std::size_t length;
  std::size_t bytes;
};

/// The run at the front of `bytes`; of length 0 where it is cut off. REQUIRES: not empty.
inline Run read_run(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if ((first & 0x80U) != 0) return {(first >> 2U & 31U) + 1, std::size_t{(first & 3U) + 1}, 1};
  if ((first & 0x40U) == 0) return {0, std::size_t{(first & 63U) + 1}, 1};
  if (bytes.size() < 2) return {0, 0, 2};
  const auto second = static_cast<unsigned char>(bytes[1]);
  return {0, std::size_t{((first & 63U) << 8U | second) + 1}, 2};
}

inline void append_zeros(std::string& out, std::size_t length) {
  const std::size_t bits = length - 1;
  if (length > kMaxShortZeros) out += static_cast<char>(0x40U | bits >> 8U);
  out += static_cast<char>(bits & 0xFFU);
}

/// REQUIRES: 1 <= value <= 32, 1 <= length <= 4.
inline char value_run(unsigned value, std::size_t length) {
  return static_cast<char>(0x80U | (value - 1) << 2U | static_cast<unsigned>(length - 1));
}

/// Registers lie across bytes, lowest bits first.
inline unsigned dense_value(std::string_view registers, std::size_t index) {
  const std::size_t byte = index * 6 / 8;
  const std::size_t shift = index * 6 % 8;
  unsigned bits = static_cast<unsigned char>(registers[byte]);
  if (shift > 2) bits |= static_cast<unsigned>(static_cast<unsigned char>(registers[byte + 1])) << 8U;
  return bits >> shift & 63U;
}

inline void set_dense_value(char* registers, std::size_t index, unsigned value) {
  const std::size_t byte = index * 6 / 8;
  const std::size_t shift = index * 6 % 8;
  const auto put = [&](std::size_t at, unsigned mask, unsigned bits) {
    registers[at] = static_cast<char>((static_cast<unsigned char>(registers[at]) & ~mask) | bits);
  };
  put(byte, 63U << shift & 0xFFU, value << shift & 0xFFU);
  if (shift > 2) put(byte + 1, 63U >> (8 - shift), value >> (8 - shift));
}

}  // namespace weir::hyll
