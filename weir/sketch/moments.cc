#include "weir/sketch/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/quantile.h"

namespace weir {
/// What a rounding takes from the smaller number is kept.
void Moments::add_to_sum(double value) {
  const double total = sum_ + value;
  if (std::isfinite(total))
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - total) + value : (value - total) + sum_;
  sum_ = total;
}

void Moments::add(double value) {
  if (!std::isfinite(value)) return add_bad();
  value = canonical(value);
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  count_ = saturating_sum(count_, 1);
  add_to_sum(value);
  // Halved, so that no difference of two doubles is beyond all of them.
  const double half_delta = value / 2 - mean_ / 2;
  mean_ += half_delta / static_cast<double>(count_) * 2;
  squares_ += half_delta * (value / 2 - mean_ / 2) * 4;
}

void Moments::add(std::span<const double> values) {
  for (const double value : values) add(value);
}

void Moments::add_bad(std::uint64_t count) {
  bad_ = saturating_sum(bad_, count);
}

void Moments::merge(const Moments& other) {
  add_bad(other.bad_);
  if (other.count_ == 0) return;
  if (count_ == 0) {
    const std::uint64_t bad = bad_;
    *this = other;
    bad_ = bad;
    return;
  }
  const auto mine = static_cast<double>(count_);
  const auto theirs = static_cast<double>(other.count_);
  const double share = theirs / (mine + theirs);
  const double half_delta = other.mean_ / 2 - mean_ / 2;
  const double theirs_squares = other.squares_;
  const double sum = other.sum_;
  const double lost = other.lost_;
  squares_ += theirs_squares + half_delta * half_delta * 4 * mine * share;
  mean_ += half_delta * share * 2;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ = saturating_sum(count_, other.count_);
  add_to_sum(sum);
  lost_ += lost;
}

double Moments::sum() const {
  return sum_ + lost_;
}

std::optional<double> Moments::mean() const {
  if (count_ == 0) return std::nullopt;
  // The sum is the more precise one, where it is one.
  const double mean = std::isfinite(sum()) ? sum() / static_cast<double>(count_) : mean_;
  return std::clamp(mean, min_, max_);
}

std::optional<double> Moments::min() const {
  return count_ == 0 ? std::nullopt : std::optional(min_);
}

std::optional<double> Moments::max() const {
  return count_ == 0 ? std::nullopt : std::optional(max_);
}

std::optional<double> Moments::variance() const {
  if (count_ == 0) return std::nullopt;
  return std::max(0.0, squares_ / static_cast<double>(count_));
}

std::optional<double> Moments::stddev() const {
  if (count_ == 0) return std::nullopt;
  return std::sqrt(*variance());
}

std::optional<double> Moments::sample_variance() const {
  if (count_ < 2) return std::nullopt;
  return std::max(0.0, squares_ / static_cast<double>(count_ - 1));
}

// Payload: count u64, bad u64, then sum, what it lost, mean, squares, min, max as f64.

std::string Moments::encode() const {
  ByteWriter out;
  out.put<std::uint64_t>(count_);
  out.put<std::uint64_t>(bad_);
  for (const double number : {sum_, lost_, mean_, squares_, min_, max_}) out.put<double>(number);
  return write_frame(SketchKind::moments, out.bytes());
}

Result<Moments> Moments::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::moments);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::moments));
  Moments read;
  read.count_ = in.get<std::uint64_t>("the count");
  read.bad_ = in.get<std::uint64_t>("the count of bad ones");
  for (double* number : {&read.sum_, &read.lost_, &read.mean_, &read.squares_, &read.min_, &read.max_}) {
    *number = in.get<double>("a number");
  }
  const bool ordered = read.min_ <= read.mean_ + std::abs(read.mean_) * 1e-9 &&
                       read.mean_ <= read.max_ + std::abs(read.max_) * 1e-9 && read.min_ <= read.max_;
  in.require(std::isfinite(read.min_) && std::isfinite(read.max_) && std::isfinite(read.mean_) && ordered,
             "its least, mean and greatest are not in order");
  in.require(!std::isnan(read.sum_) && std::isfinite(read.lost_) && read.squares_ >= 0, "its sums can't be");
  const bool nothing =
      read.sum_ == 0 && read.lost_ == 0 && read.squares_ == 0 && read.min_ == 0 && read.max_ == 0;
  in.require(read.count_ > 0 || nothing, "it has sums of nothing");
  if (const Status end = in.finish(); !end) return end.error();
  return read;
}

}  // namespace weir
