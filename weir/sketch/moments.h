// Count, sum, mean, deviation, least and greatest of a stream of numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

/// Moments of a stream in 64 bytes. The sum is compensated (Neumaier 1974): its error is that of one rounding
/// unless the values cancel by more than 2^53. Mean and variance by Welford (1962), merged by Chan, Golub and
/// LeVeque (1979), so that values which lie close together far from 0 lose nothing.
class Moments {
 public:
  /// NaN and infinities are counted as bad and skipped; -0.0 is 0.0.
  void add(double value);
  void add(std::span<const double> values);
  /// For what was no number at all.
  void add_bad() { add_bad(1); }
  void add_bad(std::uint64_t count);

  /// Afterwards this has seen what both have seen.
  void merge(const Moments& other);

  /// Both counts stop at 2^64 - 1.
  std::uint64_t count() const { return count_; }
  std::uint64_t bad() const { return bad_; }
  /// 0 of nothing; infinite when it is beyond all doubles.
  double sum() const;
  // All of these: nothing of nothing.
  std::optional<double> mean() const;
  std::optional<double> min() const;
  std::optional<double> max() const;
  /// Of the values as they are, divided by count.
  std::optional<double> variance() const;
  std::optional<double> stddev() const;
  /// Of what they are a sample of, divided by count - 1; nothing of fewer than two.
  std::optional<double> sample_variance() const;

  /// Weir's own frame.
  std::string encode() const;
  static Result<Moments> decode(std::string_view bytes);

 private:
  void add_to_sum(double value);

  std::uint64_t count_ = 0;
  std::uint64_t bad_ = 0;
  double sum_ = 0;
  double lost_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace weir
