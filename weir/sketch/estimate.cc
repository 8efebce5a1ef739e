#include "weir/sketch/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weir {

double normal_deviations(double confidence) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 64; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

Estimate relative_estimate(double value, double relative_error, double confidence) {
  const double reach = normal_deviations(confidence) * relative_error;
  const double high = reach < 1 ? value / (1 - reach) : std::numeric_limits<double>::infinity();
  return {value, value / (1 + reach), value > 0 ? high : 0, confidence};
}

std::uint64_t nearest_rank(double q, std::uint64_t count) {
  const double product = q * static_cast<double>(count);
  const double whole = std::round(product);
  const double slack = 4 * std::numeric_limits<double>::epsilon() * product;
  const double rank = std::abs(product - whole) <= slack ? whole : std::ceil(product);
  // The double may round up to 2^64, which no integer holds.
  if (rank >= static_cast<double>(count)) return count;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rank));
}

}  // namespace weir
