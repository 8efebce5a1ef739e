// How large a sample must be, and what it says of the whole.
#pragma once

#include <cstdint>

#include "weir/sketch/estimate.h"

namespace weir {

/// The records to keep so that every share is told to within `error` (0.01: one percentage point) with this
/// probability, however many records come (Hoeffding). REQUIRES: 0 < error < 1, 0 < confidence < 1.
std::uint64_t suggest_sample_size(double error, double confidence = kDefaultConfidence);

/// The share of `all` records that a uniform sample of `size`, of which `count` hold, tells (Serfling,
/// "Probability inequalities for the sum in sampling without replacement", 1974). A sample of all is exact.
/// REQUIRES: count <= size <= all, 0 < confidence < 1.
Estimate share_of_sample(std::uint64_t count, std::uint64_t size, std::uint64_t all, double confidence);

}  // namespace weir
