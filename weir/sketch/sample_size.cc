#include "weir/sketch/sample_size.h"

#include <algorithm>
#include <cmath>

namespace weir {

std::uint64_t suggest_sample_size(double error, double confidence) {
  const double size = std::ceil(std::log(2 / (1 - confidence)) / (2 * error * error));
  return size < 0x1p63 ? static_cast<std::uint64_t>(size) : std::uint64_t{1} << 63U;
}

Estimate share_of_sample(std::uint64_t count, std::uint64_t size, std::uint64_t all, double confidence) {
  if (all == 0 || size == 0) return {.value = 0, .low = 0, .high = 1, .confidence = confidence};
  const auto kept = static_cast<double>(size);
  const double value = static_cast<double>(count) / kept;
  const double unseen = size == all ? 0 : 1 - (kept - 1) / static_cast<double>(all);
  const double error = std::sqrt(unseen * std::log(2 / (1 - confidence)) / (2 * kept));
  return {.value = value,
          .low = std::max(0.0, value - error),
          .high = std::min(1.0, value + error),
          .confidence = confidence};
}

}  // namespace weir
