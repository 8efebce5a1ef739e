// What every summary answers with: a figure, and the interval that holds the true one.
#pragma once

#include <cstdint>

namespace weir {

/// The chance that an interval holds the truth, where nobody says otherwise.
inline constexpr double kDefaultConfidence = 0.95;

struct Estimate {
  double value;
  /// low <= value <= high. Where the summary is still exact all three are the same.
  double low;
  double high;
  /// The chance that the truth lies in [low, high], over the choice of the seed; 1 where it is certain.
  double confidence;
};

/// How many standard deviations to each side hold a normal variable with this chance: 0.95 -> 1.96.
/// REQUIRES: 0 < confidence < 1.
double normal_deviations(double confidence);

/// The estimate of an unbiased estimator with this relative standard error, normally distributed. The
/// interval is that of the truths under which the value lies within the deviations, so it reaches further up
/// than down; up to infinity where the error is too large for a bound. REQUIRES: 0 < confidence < 1.
Estimate relative_estimate(double value, double relative_error, double confidence);

/// An answer without error.
constexpr Estimate exact_estimate(double value) {
  return {value, value, value, 1.0};
}

/// The rank of quantile `q` of `count` values by the nearest-rank definition: ceil(q * count), at least 1.
/// The quantile is the smallest value that has this many at or below it. A product that misses a whole number
/// only by the rounding of q is that number: nearest_rank(0.07, 100) is 7. REQUIRES: 0 <= q <= 1, count > 0.
std::uint64_t nearest_rank(double q, std::uint64_t count);

}  // namespace weir
