// What the summaries of quantiles answer with.
#pragma once

#include <cstdint>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

/// Quantile q by the nearest-rank definition: the smallest value that has at least ceil(q * count) values at
/// or below it (and at least one). 0 gives the least, 1 the greatest.
struct QuantileEstimate {
  double value;
  /// The true quantile lies in [low, high], with the confidence that the summary states. Equal to value where
  /// the summary is still exact.
  double low;
  double high;
};

/// An error unless 0 <= q <= 1.
Status check_quantile(double q, std::string_view what);

/// No summary counts more values than this; no stream has as many, but a file may say so.
inline constexpr std::uint64_t kMostValues = std::uint64_t{1} << 62U;

/// An error where two summaries together would have counted more.
Status check_counts(std::uint64_t mine, std::uint64_t other, std::string_view what);

/// a + b, at most 2^64 - 1.
constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return b <= ~a ? a + b : ~std::uint64_t{0};
}

/// The value as every summary of numbers takes it: -0.0 is 0.0. REQUIRES: finite.
constexpr double canonical(double value) {
  return value == 0 ? 0.0 : value;
}

}  // namespace weir
