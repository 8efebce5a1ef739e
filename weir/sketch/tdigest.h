// Quantiles by clusters, where another system asks for a t-digest.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/quantile.h"

namespace weir {

/// The merging t-digest (Dunning and Ertl, "Computing extremely accurate quantiles using t-digests", 2019)
/// with the scale function k2, as Apache DataSketches has it (family 20, of doubles): clusters of
/// neighbouring values, small at both ends.
///
/// There is no bound on its error: the low and high of an answer are the means of the clusters beside it,
/// which usually hold the truth and need not. Ask KLL or DDSketch where a bound is needed. The least and the
/// greatest are exact, and so is everything while no more than about k values have come.
///
/// Memory: at most memory_bytes(k); 80 kB for k = 200.
/// NaN and infinities are counted as bad and skipped; -0.0 is 0.0.
class TDigest {
 public:
  static constexpr unsigned kDefaultK = 200;
  static constexpr unsigned kMinK = 10;
  static constexpr unsigned kMaxK = 65'535;

  static Result<TDigest> create(unsigned k = kDefaultK);
  /// A k whose clusters in the middle hold at most this share of all values: half of it is what an answer
  /// there is usually within. 0.01 -> 200.
  static Result<unsigned> suggest_k(double share);
  /// The most that one takes, in bytes.
  static std::size_t memory_bytes(unsigned k);

  void add(double value) {
    if (!std::isfinite(value)) {
      ++bad_;
      return;
    }
    value = canonical(value);
    min_ = count() == 0 || value < min_ ? value : min_;
    max_ = count() == 0 || value > max_ ? value : max_;
    if (buffer_.size() == buffer_capacity_) compress();
    buffer_.push_back(value);
  }
  void add(std::span<const double> values);
  void add_bad(std::uint64_t count = 1) { bad_ += count; }

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, when k differs or both
  /// together have counted more than 2^62 values.
  Status merge(const TDigest& other);

  std::uint64_t count() const { return weight_ + buffer_.size(); }
  std::uint64_t bad() const { return bad_; }
  /// Exact; nothing of nothing.
  std::optional<double> min() const { return count() == 0 ? std::nullopt : std::optional(min_); }
  std::optional<double> max() const { return count() == 0 ? std::nullopt : std::optional(max_); }
  /// Nothing of nothing. low and high are no bounds, see above. REQUIRES: 0 <= q <= 1 (check_quantile).
  std::optional<QuantileEstimate> quantile(double q) const;
  /// The same of many, at the price of one.
  std::vector<QuantileEstimate> quantiles(std::span<const double> qs) const;
  /// About which share of the values is below this one, those equal to it by half. REQUIRES: not NaN. Nothing
  /// of nothing.
  std::optional<double> rank(double value) const;

  unsigned k() const { return k_; }

  /// The image that DataSketches reads. Bad ones are not in it.
  std::string to_datasketches() const;
  static Result<TDigest> from_datasketches(std::string_view bytes);

  /// Weir's own frame.
  std::string encode() const;
  static Result<TDigest> decode(std::string_view bytes);

 private:
  struct Cluster {
    double mean;
    std::uint64_t weight;
  };

  explicit TDigest(unsigned k);

  void compress();
  void take_in(const std::vector<Cluster>& added, std::uint64_t weight);
  TDigest compressed() const;
  QuantileEstimate quantile_in_clusters(double q) const;
  Status read_clusters(class ByteReader& in);

  unsigned k_;
  double scale_k_;
  std::size_t buffer_capacity_;
  /// In order of their means.
  std::vector<Cluster> clusters_;
  std::uint64_t weight_ = 0;
  std::vector<double> buffer_;
  std::vector<double> room_;
  /// From which end the next values are taken in; it changes so that neither end is favoured.
  bool backwards_ = false;
  std::uint64_t bad_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace weir
