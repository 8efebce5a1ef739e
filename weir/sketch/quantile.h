// What the summaries of quantiles answer with.
#pragma once

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

/// The value as every summary of numbers takes it: -0.0 is 0.0. REQUIRES: finite.
constexpr double canonical(double value) {
  return value == 0 ? 0.0 : value;
}

}  // namespace weir
