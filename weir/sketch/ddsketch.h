// Quantiles by value: any quantile of a stream of numbers within a share of its value.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/ddsketch_buckets.h"
#include "weir/sketch/quantile.h"

namespace weir {

/// DDSketch (Masson, Rim, Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
/// guarantees", 2019): counts in buckets whose bounds grow by the same factor, which a cubic polynomial of
/// the mantissa stands in for the logarithm of (1 % more buckets, no call of log).
///
/// Every answer is within relative_accuracy of the true quantile, always: there is no chance in it. Where the
/// values of one sign spread over more than max_buckets the smallest of them are joined into one bucket;
/// has_collapsed() says so, and an answer from that bucket has the bounds that are still true.
/// 1 % and 2,048 buckets hold 17 decimal orders of magnitude without it.
///
/// Memory: 8 bytes for each bucket between the least and the greatest in use, at most memory_bytes().
/// Durations and sizes need some 300 to 1,100 buckets. What it encodes depends only on the values, not on
/// their order: a merge gives the same bytes as one that saw all.
///
/// NaN and infinities are counted as bad and skipped; -0.0 is 0.0. Values closer to 0 than 1e-300 count as 0.
class DDSketch {
 public:
  static constexpr double kDefaultAccuracy = 0.01;
  static constexpr std::size_t kDefaultBuckets = 2'048;
  static constexpr std::size_t kMostBuckets = std::size_t{1} << 20U;

  /// relative_accuracy from 0.0001 to 0.5, max_buckets (for each sign) from 16 to 2^20.
  static Result<DDSketch> create(double relative_accuracy = kDefaultAccuracy,
                                 std::size_t max_buckets = kDefaultBuckets);
  /// How many buckets hold all values from `least` to `greatest` at this accuracy. REQUIRES: 0 < least <=
  /// greatest, both finite, and an accuracy that create() takes.
  static std::size_t suggest_buckets(double relative_accuracy, double least, double greatest);
  /// The most that one takes, in bytes.
  static std::size_t memory_bytes(std::size_t max_buckets);

  void add(double value) {
    if (!std::isfinite(value)) {
      ++bad_;
      return;
    }
    value = canonical(value);
    min_ = count_ == 0 || value < min_ ? value : min_;
    max_ = count_ == 0 || value > max_ ? value : max_;
    ++count_;
    if (value > kTiny) {
      positive_.add(bucket_of(value));
    } else if (value < -kTiny) {
      negative_.add(bucket_of(-value));
    } else {
      ++zeros_;
    }
  }
  void add(std::span<const double> values);
  void add_bad(std::uint64_t count = 1) { bad_ += count; }

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, when a parameter differs or
  /// both together have counted more than 2^62 values.
  Status merge(const DDSketch& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t bad() const { return bad_; }
  /// Exact; nothing of nothing.
  std::optional<double> min() const { return count_ == 0 ? std::nullopt : std::optional(min_); }
  std::optional<double> max() const { return count_ == 0 ? std::nullopt : std::optional(max_); }
  /// Nothing of nothing. The truth is certain to lie in [low, high]. REQUIRES: 0 <= q <= 1 (check_quantile).
  std::optional<QuantileEstimate> quantile(double q) const;

  /// Whether the smallest values, of either sign, have been joined: what is asked of them is answered
  /// coarsely.
  bool has_collapsed() const { return positive_.has_joined() || negative_.has_joined(); }
  double relative_accuracy() const { return accuracy_; }
  std::size_t max_buckets() const { return positive_.most(); }

  /// Weir's own frame.
  std::string encode() const;
  static Result<DDSketch> decode(std::string_view bytes);

 private:
  /// What is closer to zero is zero, so that no bucket's bounds are subnormal.
  static constexpr double kTiny = 1e-300;

  DDSketch(double accuracy, std::size_t max_buckets);

  /// Close to log2(x), continuous and never shrinking: the exponent, and a cubic of the mantissa chosen so
  /// that its slope by ln x changes least.
  static double log_like(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52U) - 1'023);
    const double s = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000) - 1;
    return exponent + ((kA * s + kB) * s + kC) * s;
  }
  static constexpr double kA = 6.0 / 35;
  static constexpr double kB = -3.0 / 5;
  static constexpr double kC = 10.0 / 7;

  std::int32_t bucket_of(double x) const {
    // Shifted to be above 0, where cutting off is rounding down.
    constexpr std::int32_t kShift = 1 << 23;
    return static_cast<std::int32_t>(log_like(x) * multiplier_ + kShift) - kShift;
  }
  double lower_bound(std::int32_t bucket) const;
  QuantileEstimate of_bucket(const BucketCounts& counts, std::int32_t bucket, bool joined) const;
  QuantileEstimate at_rank(std::uint64_t rank) const;

  double accuracy_;
  double multiplier_;
  BucketCounts positive_;
  BucketCounts negative_;
  std::uint64_t zeros_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t bad_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace weir
