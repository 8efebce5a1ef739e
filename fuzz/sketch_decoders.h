// What the fuzz targets of the decoders of distinct counts, frequent items and quantiles share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/sketch/encoding.h"
#include "weir/sketch/estimate.h"

namespace weir {

/// Ends the run where something does not hold that must.
inline void must_hold(bool holds) {
  if (!holds) std::abort();
}

inline void must_be_ordered(const Estimate& estimate) {
  must_hold(estimate.low <= estimate.value && estimate.value <= estimate.high);
}

/// The first byte of an input chooses among decoders, the others are decoded.
struct FuzzedSketch {
  FuzzedSketch(const std::uint8_t* data, std::size_t size)
      : bytes(reinterpret_cast<const char*>(data), size), choice(size == 0 ? 0 : data[0]) {
    if (size > 0) bytes.remove_prefix(1);
  }

  /// In a frame with the right checksum, so that the decoder of the payload is reached.
  std::string framed(SketchKind kind) const { return write_frame(kind, bytes); }

  std::string_view bytes;
  unsigned choice;
};

}  // namespace weir
