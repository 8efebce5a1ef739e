// What the weighted and the decayed sample have in common besides their items.
#pragma once

#include <cstdint>
#include <string_view>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/jump_draw.h"
#include "weir/sketch/seed.h"

namespace weir {

struct SampleHead {
  std::uint64_t capacity;
  Seed seed;
  /// Good records, and those whose weight was none.
  std::uint64_t seen = 0;
  std::uint64_t bad = 0;
  JumpDraw draw;

  SampleHead(std::uint64_t most, Seed drawn_from, std::uint64_t stream)
      : capacity(most), seed(drawn_from), draw(Random(static_cast<std::uint64_t>(drawn_from), stream)) {}

  Status check_merge(const SampleHead& other, std::string_view what) const;
  void absorb(const SampleHead& other);
  void encode(ByteWriter& out) const;
  /// Notes what is wrong in the reader.
  static SampleHead decode(ByteReader& in);
};

/// A weight that can be drawn by: finite and above 0.
inline bool is_weight(double weight) {
  return weight > 0 && std::isfinite(weight);
}

}  // namespace weir
