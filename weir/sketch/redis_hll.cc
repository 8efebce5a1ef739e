#include "weir/sketch/redis_hll.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "weir/sketch/bytes.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/hll_estimate.h"
#include "weir/sketch/hyll_layout.h"
#include "weir/sketch/hyperloglog_frame.h"

namespace weir {
namespace {

constexpr std::uint64_t kSeed = 0xADC83B19;
constexpr unsigned kRankBits = 64 - RedisHll::kPrecision;
constexpr double kRelativeError = 1.03896 / 128;  // sqrt(3 ln 2 - 1) / sqrt(2^14)

using Histogram = std::array<std::uint32_t, hyll::kMaxValue + 1>;

/// What is wrong with runs, or nothing.
std::string check_runs(std::string_view runs) {
  std::size_t total = 0;
  while (!runs.empty()) {
    const hyll::Run run = hyll::read_run(runs);
    if (run.length == 0) return "its last run is cut off";
    total += run.length;
    if (total > RedisHll::kRegisters) return "its runs are of more than 16384 registers";
    runs.remove_prefix(run.bytes);
  }
  return total == RedisHll::kRegisters ? ""
                                       : "its runs are of " + std::to_string(total) + " registers, not 16384";
}

std::string check_hyll(std::string_view bytes) {
  if (bytes.size() < hyll::kHead || bytes.substr(0, 4) != "HYLL")
    return "it does not begin with \"HYLL\" and a head of 16 bytes";
  if (bytes[hyll::kEncodingAt] == hyll::kSparse) return check_runs(bytes.substr(hyll::kHead));
  if (bytes[hyll::kEncodingAt] != hyll::kDense) return "its encoding is neither dense nor sparse";
  if (bytes.size() != RedisHll::kDenseBytes) {
    return "a dense one has 12304 bytes, not " + std::to_string(bytes.size());
  }
  for (std::size_t i = 0; i < RedisHll::kRegisters; ++i) {
    if (hyll::dense_value(bytes.substr(hyll::kHead), i) > hyll::kMaxValue) return "a register is above 51";
  }
  return "";
}

}  // namespace

RedisHll::RedisHll(std::size_t sparse_max_bytes)
    : sparse_max_bytes_(std::min(sparse_max_bytes, kDenseBytes)), bytes_("HYLL") {
  bytes_.resize(hyll::kHead, '\0');
  bytes_[hyll::kEncodingAt] = hyll::kSparse;
  hyll::append_zeros(bytes_, kRegisters);
}

Result<RedisHll> RedisHll::from_hyll(std::string_view bytes, std::size_t sparse_max_bytes) {
  if (const std::string wrong = check_hyll(bytes); !wrong.empty())
    return Error{"HyperLogLog of Redis: " + wrong};
  RedisHll hll(sparse_max_bytes);
  hll.bytes_ = bytes;
  return hll;
}

bool RedisHll::is_dense() const {
  return bytes_[hyll::kEncodingAt] == hyll::kDense;
}

void RedisHll::forget_count() {
  bytes_[hyll::kStaleAt] =
      static_cast<char>(static_cast<unsigned char>(bytes_[hyll::kStaleAt]) | hyll::kStaleBit);
}

bool RedisHll::add(std::string_view value) {
  return add_hash(murmur64a(value, kSeed));
}

bool RedisHll::add(std::span<const std::string_view> values) {
  std::array<std::uint64_t, 64> hashes{};
  bool changed = false;
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) hashes[i] = murmur64a(values[i], kSeed);
    for (std::size_t i = 0; i < count; ++i) changed |= add_hash(hashes[i]);
    values = values.subspan(count);
  }
  return changed;
}

bool RedisHll::add_hash(std::uint64_t hash) {
  const std::uint64_t rest = hash >> kPrecision | std::uint64_t{1} << kRankBits;
  return raise(hash & (kRegisters - 1), static_cast<unsigned>(std::countr_zero(rest)) + 1);
}

bool RedisHll::raise(std::size_t index, unsigned value) {
  return is_dense() ? raise_dense(index, value) : raise_sparse(index, value);
}

bool RedisHll::raise_dense(std::size_t index, unsigned value) {
  if (hyll::dense_value(std::string_view(bytes_).substr(hyll::kHead), index) >= value) return false;
  hyll::set_dense_value(bytes_.data() + hyll::kHead, index, value);
  forget_count();
  return true;
}

std::array<std::uint8_t, RedisHll::kRegisters> RedisHll::registers() const {
  std::array<std::uint8_t, kRegisters> values{};
  std::string_view rest = std::string_view(bytes_).substr(hyll::kHead);
  if (is_dense()) {
    for (std::size_t i = 0; i < kRegisters; ++i)
      values[i] = static_cast<std::uint8_t>(hyll::dense_value(rest, i));
    return values;
  }
  for (std::size_t i = 0; !rest.empty();) {
    const hyll::Run run = hyll::read_run(rest);
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(i), run.length,
                static_cast<std::uint8_t>(run.value));
    i += run.length;
    rest.remove_prefix(run.bytes);
  }
  return values;
}

void RedisHll::become_dense() {
  const auto values = registers();
  bytes_.resize(hyll::kHead);
  bytes_[hyll::kEncodingAt] = hyll::kDense;
  bytes_.resize(kDenseBytes, '\0');
  for (std::size_t i = 0; i < kRegisters; ++i)
    hyll::set_dense_value(bytes_.data() + hyll::kHead, i, values[i]);
}

double RedisHll::raw_estimate() const {
  Histogram histogram{};
  std::string_view rest = std::string_view(bytes_).substr(hyll::kHead);
  if (is_dense()) {
    for (std::size_t i = 0; i < kRegisters; ++i) ++histogram[hyll::dense_value(rest, i)];
  }
  while (!is_dense() && !rest.empty()) {
    const hyll::Run run = hyll::read_run(rest);
    histogram[run.value] += static_cast<std::uint32_t>(run.length);
    rest.remove_prefix(run.bytes);
  }
  return ertl_estimate(histogram);
}

std::uint64_t RedisHll::count() {
  const bool stale = (static_cast<unsigned char>(bytes_[hyll::kStaleAt]) & hyll::kStaleBit) != 0;
  if (!stale) return bytes_detail::load<std::uint64_t>(bytes_.data() + hyll::kCountAt);
  // Registers that are all at their end have no finite count; 2^63 - 1 is more than any of them stands for.
  const double estimate = std::min(raw_estimate(), 0x1p62);
  const auto counted = static_cast<std::uint64_t>(std::llround(estimate));
  bytes_detail::store<std::uint64_t>(counted, bytes_.data() + hyll::kCountAt);
  return counted;
}

Estimate RedisHll::estimate(double confidence) const {
  const double value = raw_estimate();
  return value == 0 ? exact_estimate(0) : relative_estimate(value, kRelativeError, confidence);
}

void RedisHll::merge(const RedisHll& other) {
  const auto theirs = other.registers();
  if (other.is_dense() && !is_dense()) become_dense();
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if (theirs[i] != 0) raise(i, theirs[i]);
  }
  // Redis does not look whether anything changed.
  forget_count();
}

std::string RedisHll::encode() const {
  return write_hyperloglog_frame(HyperLogLogLayout::redis, bytes_);
}

Result<RedisHll> RedisHll::decode(std::string_view bytes) {
  const Result<std::string_view> image = read_hyperloglog_frame(bytes, HyperLogLogLayout::redis);
  if (!image) return image.error();
  return from_hyll(*image);
}

}  // namespace weir
