// What the fuzz targets of weir/sketch share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/sketch/encoding.h"

namespace weir {

/// Ends the run where something does not hold that must.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The input as the payload of a frame with a checksum that fits, which no fuzzer would guess.
inline std::string framed(SketchKind kind, const std::uint8_t* data, std::size_t size) {
  return write_frame(kind, std::string_view(reinterpret_cast<const char*>(data), size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace weir
