// Sizes and bits of classic Bloom filters.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

/// -ln(e) / ln(2)^2: the bits for each value at which an error rate of `error` is reached with the best
/// number of hashes (Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970). REQUIRES: 0
/// < error < 1.
double bloom_bits_per_value(double error);

/// How many bits are set.
std::uint64_t count_bits(std::string_view bytes);

}  // namespace weir
