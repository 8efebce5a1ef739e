// Weir's own form of a summary in a file: a frame around the payload that each kind writes for itself.
//
//   magic    4 bytes  "WEIR"
//   version  u8       1
//   kind     u8       which summary (SketchKind)
//   zero     u16      0, kept for later
//   length   u64      bytes of payload
//   payload
//   checksum u64      XXH3-64 of all bytes before it
//
// All numbers little-endian. Frames may follow one another in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"

namespace weir {

/// What a frame holds. The numbers stand in files: they are never changed and never used again.
enum class SketchKind : std::uint8_t {
  uniform_sample = 1,
  weighted_sample = 2,
  decayed_sample = 3,
  var_opt = 4,
  block_bloom = 5,
  scalable_bloom = 6,
  cuckoo = 7,
  count_min = 8,
  distinct = 9,
  hyperloglog = 10,
  theta = 11,
  top_k = 12,
  kll = 13,
  ddsketch = 14,
  tdigest = 15,
  moments = 16,
  /// No summary: what the frame behind it is a summary of.
  origin = 17,
};

/// For people: "Count-Min sketch".
std::string_view name_of(SketchKind kind);

/// Puts a payload into a frame.
std::string write_frame(SketchKind kind, std::string_view payload);

struct Frame {
  SketchKind kind;
  /// Views the bytes that were read.
  std::string_view payload;
};

/// Takes one frame from the front of `bytes`, which are anything at all; on an error they stay as they are.
/// The checksum holds for what is returned: damage is found here, and what a decoder still finds wrong in the
/// payload was written wrong.
Result<Frame> take_frame(std::string_view& bytes);

/// The payload of the one frame that `bytes` must be, of this kind; an origin before it is passed over.
Result<std::string_view> read_frame(std::string_view bytes, SketchKind kind);

}  // namespace weir
