#include "weir/sketch/theta_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace weir {
namespace {

constexpr std::string_view kWhat = "theta sketch";

}  // namespace

Estimate ThetaSet::estimate(double confidence) const {
  const auto count = static_cast<double>(hashes_.size());
  if (is_exact()) return exact_estimate(count);
  // The n for which |count - n theta| <= z sqrt(n theta (1 - theta)).
  const double z = normal_deviations(confidence);
  const double spread = z * z * (1 - theta());
  const double middle = 2 * count + spread;
  const double root = std::sqrt(std::max(0.0, middle * middle - 4 * count * count));
  const double value = count / theta();
  return {value, std::clamp((middle - root) / (2 * theta()), count, value), (middle + root) / (2 * theta()),
          confidence};
}

void ThetaSet::cut_to(std::uint64_t theta) {
  theta_ = std::min(theta_, theta);
  hashes_.erase(std::lower_bound(hashes_.begin(), hashes_.end(), theta_), hashes_.end());
}

ThetaSet ThetaSet::trimmed(unsigned lg_k) const {
  ThetaSet set = *this;
  const std::size_t most = std::size_t{1} << lg_k;
  if (set.hashes_.size() > most) set.cut_to(set.hashes_[most]);
  return set;
}

Result<ThetaSet> ThetaSet::unite(const ThetaSet& a, const ThetaSet& b, unsigned lg_k) {
  if (const Status same = check_same_seed(a.seed_, b.seed_, kWhat); !same) return same.error();
  ThetaSet both(a.seed_);
  std::set_union(a.hashes_.begin(), a.hashes_.end(), b.hashes_.begin(), b.hashes_.end(),
                 std::back_inserter(both.hashes_));
  both.cut_to(std::min(a.theta_, b.theta_));
  return both.trimmed(lg_k);
}

Result<ThetaSet> ThetaSet::intersect(const ThetaSet& a, const ThetaSet& b) {
  if (const Status same = check_same_seed(a.seed_, b.seed_, kWhat); !same) return same.error();
  ThetaSet both(a.seed_);
  if (a.empty() || b.empty()) return both;
  std::set_intersection(a.hashes_.begin(), a.hashes_.end(), b.hashes_.begin(), b.hashes_.end(),
                        std::back_inserter(both.hashes_));
  both.cut_to(std::min(a.theta_, b.theta_));
  return both;
}

Result<ThetaSet> ThetaSet::subtract(const ThetaSet& a, const ThetaSet& b) {
  if (const Status same = check_same_seed(a.seed_, b.seed_, kWhat); !same) return same.error();
  if (a.empty() || b.empty()) return a;
  ThetaSet rest(a.seed_);
  std::set_difference(a.hashes_.begin(), a.hashes_.end(), b.hashes_.begin(), b.hashes_.end(),
                      std::back_inserter(rest.hashes_));
  rest.cut_to(std::min(a.theta_, b.theta_));
  return rest;
}

}  // namespace weir
