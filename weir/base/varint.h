// Variable-length integers: seven bits to a byte, the lowest first (LEB128). Prefix-free, and one byte below
// 128.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

inline void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

/// Takes what append_varint wrote from the front of `bytes`. REQUIRES: it stands there, for bytes that this
/// process has written itself.
inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace weir
