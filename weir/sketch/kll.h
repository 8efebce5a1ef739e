// Quantiles by rank: any quantile of a stream of numbers within a share of all ranks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/quantile.h"
#include "weir/sketch/random.h"
#include "weir/sketch/seed.h"

namespace weir {

/// The KLL sketch (Karnin, Lang, Liberty, "Optimal quantile approximation in streams", 2016), in the variant
/// of Apache DataSketches (family 15) with the paper's sampler beneath the levels that matter.
///
/// The true rank of an answer is within rank_error() * count of the one asked for with a chance of 99 %: 1.33
/// % for k = 200. Exact while no more than k values have come. The least and the greatest are always exact.
/// Memory: about 3 k values (see memory_bytes), however many come.
///
/// NaN and infinities are counted as bad and skipped; -0.0 is 0.0. `Real` is float or double.
template <class Real>
class Kll {
 public:
  static constexpr unsigned kDefaultK = 200;
  static constexpr unsigned kMinK = 8;
  static constexpr unsigned kMaxK = 65'535;
  /// The chance with which rank_error() holds for one quantile.
  static constexpr double kConfidence = 0.99;

  /// The seed drives the draws alone.
  static Result<Kll> create(unsigned k = kDefaultK, Seed seed = kFixedSeed);
  /// The smallest k whose rank error is at most this: 0.01 -> 268. An error when there is none.
  static Result<unsigned> suggest_k(double rank_error);
  static double rank_error(unsigned k);
  /// The most that one takes, in bytes.
  static std::size_t memory_bytes(unsigned k);

  void add(Real value) {
    if (!std::isfinite(value)) {
      ++bad_;
      return;
    }
    value = value == 0 ? Real{0} : value;
    ++count_;
    min_ = value < min_ ? value : min_;
    max_ = value > max_ ? value : max_;
    if (lg_sample_ == 0) return keep(value);
    // Of every 2^lg_sample_ values the one at target_ is kept.
    if (seen_ <= target_) chosen_ = value;
    if (++seen_ >> lg_sample_ != 0) end_sample();
  }
  void add(std::span<const Real> values);
  void add_bad(std::uint64_t count = 1) { bad_ += count; }

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, when k or the seed differs,
  /// or when both together have counted more than 2^62 values.
  Status merge(const Kll& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t bad() const { return bad_; }
  /// Nothing of nothing.
  std::optional<double> min() const { return count_ == 0 ? std::nullopt : std::optional<double>(min_); }
  std::optional<double> max() const { return count_ == 0 ? std::nullopt : std::optional<double>(max_); }
  /// Nothing of nothing. low and high are the values at the ranks rank_error() to both sides.
  /// REQUIRES: 0 <= q <= 1 (check_quantile).
  std::optional<QuantileEstimate> quantile(double q) const;
  /// The same of many, at the price of one.
  std::vector<QuantileEstimate> quantiles(std::span<const double> qs) const;
  /// Which share of the values is at or below this one. REQUIRES: not NaN. Nothing of nothing.
  std::optional<Estimate> rank(Real value) const;

  bool is_exact() const { return levels_.size() == 1; }
  double rank_error() const { return rank_error(least_k_); }
  unsigned k() const { return k_; }
  Seed seed() const { return seed_; }

  /// The image that DataSketches reads, of floats or of doubles; it does not say which. Bad ones are not in
  /// it.
  std::string to_datasketches() const;
  static Result<Kll> from_datasketches(std::string_view bytes, Seed seed = kFixedSeed);

  /// Weir's own frame.
  std::string encode() const;
  static Result<Kll> decode(std::string_view bytes);

 private:
  template <class>
  friend class KllReader;
  struct Weighted {
    Real value;
    std::uint64_t up_to;  // the sum of weights up to and with it
  };

  Kll(unsigned k, Seed seed);

  void keep(Real value) {
    levels_[lg_sample_].push_back(value);
    if (++held_ >= capacity_) compress();
  }
  void end_sample();
  std::vector<std::vector<Real>> levels_with_sample() const;
  void set_levels(std::size_t count);
  std::size_t capacity_of(std::size_t level) const;
  void compress();
  void compact(std::size_t level);
  void append(std::size_t level, std::span<const Real> values);
  std::vector<Weighted> sorted_view() const;
  QuantileEstimate quantile_in(std::span<const Weighted> view, double q) const;

  unsigned k_;
  unsigned least_k_;
  Seed seed_;
  Random random_;
  std::uint64_t count_ = 0;
  std::uint64_t bad_ = 0;
  Real min_ = std::numeric_limits<Real>::infinity();
  Real max_ = -std::numeric_limits<Real>::infinity();
  /// Values of weight 2^level each; in order above level lg_sample_.
  std::vector<std::vector<Real>> levels_{1};
  std::size_t held_ = 0;
  std::size_t capacity_ = 0;
  std::vector<Real> scratch_;
  unsigned lg_sample_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t target_ = 0;
  Real chosen_ = 0;
};

extern template class Kll<float>;
extern template class Kll<double>;

}  // namespace weir
