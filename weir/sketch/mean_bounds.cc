#include "weir/sketch/mean_bounds.h"

#include <cmath>

namespace weir {
namespace {

/// -ln of Chernoff's bound on how likely a count so far from this mean is.
double unlikeliness(double count, double mean) {
  return mean - count + (count > 0 ? count * std::log(count / mean) : 0);
}

}  // namespace

MeanBounds mean_bounds(double count, double confidence) {
  const double wanted = std::log(2 / (1 - confidence));
  MeanBounds bounds{.low = 0, .high = count + 2 * wanted + std::sqrt(2 * wanted * count) + 1};
  // Halving: the unlikeliness grows with the distance from the count.
  double near = count;
  for (int i = 0; i < 100 && count > 0; ++i) {
    const double middle = (bounds.low + near) / 2;
    (middle <= 0 || unlikeliness(count, middle) >= wanted ? bounds.low : near) = middle;
  }
  near = count;
  for (int i = 0; i < 100; ++i) {
    const double middle = (bounds.high + near) / 2;
    (unlikeliness(count, middle) >= wanted ? bounds.high : near) = middle;
  }
  return bounds;
}

}  // namespace weir
