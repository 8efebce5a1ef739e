#include "weir/sketch/hll_estimate.h"

#include <array>
#include <cmath>
#include <limits>

namespace weir {
namespace {

double ertl_sigma(double x) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  double y = 1;
  double z = x;
  for (double before = -1; z != before;) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}

double ertl_tau(double x) {
  if (x == 0 || x == 1) return 0;
  double y = 1;
  double z = 1 - x;
  for (double before = -1; z != before;) {
    x = std::sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) * (1 - x) * y;
  }
  return z / 3;
}

}  // namespace

double ertl_estimate(std::span<const std::uint32_t> histogram) {
  double registers = 0;
  for (const std::uint32_t count : histogram) registers += count;
  const double full = histogram.back();
  double z = registers * ertl_tau(1 - full / registers);
  for (std::size_t value = histogram.size() - 2; value >= 1; --value) z = (z + histogram[value]) * 0.5;
  z += registers * ertl_sigma(histogram[0] / registers);
  constexpr double kAlpha = 0.72134752044448170368;  // 1 / (2 ln 2)
  return kAlpha * registers * registers / z;
}

double coupon_estimate(std::size_t count) {
  constexpr std::array<double, 8> kCoupons{0, 1, 20, 400, 8'000, 160'000, 300'000, 600'000};
  constexpr std::array<double, 8> kValues{0,
                                          1,
                                          20.0000009437402611,
                                          400.0003963713384110,
                                          8'000.1589294602090376,
                                          160'063.6067763759638183,
                                          300'223.7071597663452849,
                                          600'895.5933856170158833};
  const auto x = static_cast<double>(count);
  std::size_t below = 0;
  while (below + 2 < kCoupons.size() && kCoupons[below + 1] <= x) ++below;
  const std::size_t first = below == 0 ? 0 : below - 1;
  // Lagrange's polynomial through four points, its products in the order that gives the same last bit.
  double sum = 0;
  for (std::size_t i = first; i < first + 4; ++i) {
    double above = 1;
    double under = 1;
    for (std::size_t j = first; j < first + 4; ++j) {
      if (j == i) continue;
      above *= x - kCoupons[j];
      under *= kCoupons[i] - kCoupons[j];
    }
    sum += kValues[i] * above / under;
  }
  return sum;
}

}  // namespace weir
