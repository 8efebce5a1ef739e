// Weir's frame around a HyperLogLog: which of the two layouts, then its bytes as the other systems write
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

enum class HyperLogLogLayout : std::uint8_t { datasketches = 0, redis = 1 };

std::string write_hyperloglog_frame(HyperLogLogLayout layout, std::string_view image);

/// The image of the one frame that `bytes` must be, in this layout.
Result<std::string_view> read_hyperloglog_frame(std::string_view bytes, HyperLogLogLayout layout);

/// Which layout a frame of this kind holds, for those who can read both.
Result<HyperLogLogLayout> hyperloglog_layout(std::string_view bytes);

}  // namespace weir
