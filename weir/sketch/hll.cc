#include "weir/sketch/hll.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "weir/sketch/hashes.h"
#include "weir/sketch/hll_estimate.h"
#include "weir/sketch/hll_table.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

using hll_detail::find_place;
using hll_detail::is_crowded;
using hll_detail::kKeyMask;
using hll_detail::make_entry;
using hll_detail::value_of;

constexpr std::uint64_t kSeed = 9'001;
constexpr std::uint32_t kWholeEntry = ~std::uint32_t{0};
/// What hll4 can tell in four bits; this and more is an exception.
constexpr unsigned kException = 15;
constexpr double kInOrderError = 0.8325546;  // sqrt(ln 2)
constexpr double kMergedError = 1.03896;     // sqrt(3 ln 2 - 1)
constexpr double kCouponError = 4.99e-5;

constexpr std::uint32_t coupon_of(Hash128 hash) {
  const auto zeros = static_cast<unsigned>(std::min(std::countl_zero(hash.high), 62));
  return make_entry(static_cast<std::uint32_t>(hash.low & kKeyMask), zeros + 1);
}

double power(unsigned value) {
  return std::ldexp(1.0, -static_cast<int>(value));
}

}  // namespace

Result<Hll> Hll::create(unsigned lg_k, HllForm form) {
  if (lg_k < kMinLgK || lg_k > kMaxLgK) {
    return Error{"HyperLogLog: lg_k is " + std::to_string(lg_k) + "; it must be from 4 to 21"};
  }
  return Hll(lg_k, form);
}

Result<unsigned> Hll::suggest_lg_k(double relative_error) {
  for (unsigned lg_k = kMinLgK; lg_k <= kMaxLgK; ++lg_k) {
    if (kMergedError / std::sqrt(std::ldexp(1.0, static_cast<int>(lg_k))) <= relative_error) return lg_k;
  }
  return Error{"HyperLogLog: an error of " + std::to_string(relative_error) +
               " can't be had; the least is 0.00072 (0.072 %)"};
}

std::size_t Hll::memory_bytes(unsigned lg_k) {
  // Exceptions are those of 2^15 times the usual rank: far fewer than their first table holds.
  return sizeof(Hll) + (std::size_t{1} << lg_k) + 8 * hll_detail::first_exceptions(lg_k);
}

void Hll::add(std::uint64_t value) {
  add_coupon(coupon_of(murmur3_x64_128(value, kSeed)));
}

void Hll::add(std::span<const std::uint64_t> values) {
  std::array<std::uint32_t, 64> coupons{};
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), coupons.size());
    for (std::size_t i = 0; i < count; ++i) coupons[i] = coupon_of(murmur3_x64_128(values[i], kSeed));
    for (std::size_t i = 0; i < count; ++i) add_coupon(coupons[i]);
    values = values.subspan(count);
  }
}

void Hll::add(std::string_view value) {
  if (!value.empty()) add_coupon(coupon_of(murmur3_x64_128(value, kSeed)));
}

void Hll::add(std::span<const std::string_view> values) {
  for (const std::string_view value : values) add(value);
}

void Hll::add_real(double value) {
  if (value == 0) value = 0;  // -0.0
  add(std::isnan(value) ? 0x7FF8000000000000U : std::bit_cast<std::uint64_t>(value));
}

void Hll::add_coupon(std::uint32_t coupon) {
  switch (mode_) {
    case Mode::list:
      return add_to_list(coupon);
    case Mode::set:
      return add_to_set(coupon);
    case Mode::registers:
      return add_to_registers(coupon);
  }
}

void Hll::add_to_list(std::uint32_t coupon) {
  const auto end = coupons_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (std::find(coupons_.begin(), end, coupon) != end) return;
  coupons_[count_++] = coupon;
  if (count_ < kListSize) return;
  // Too few registers for a set to be smaller.
  constexpr unsigned kLeastLgKOfSet = 8;
  if (lg_k_ < kLeastLgKOfSet) {
    become_registers();
  } else {
    become_set();
  }
}

void Hll::become_set() {
  const std::vector<std::uint32_t> list = std::move(coupons_);
  coupons_.assign(std::size_t{1} << kFirstLgSet, 0);
  count_ = 0;
  mode_ = Mode::set;
  for (const std::uint32_t coupon : list) add_to_set(coupon);
}

void Hll::add_to_set(std::uint32_t coupon) {
  const std::size_t place = find_place(coupons_, coupon, kWholeEntry);
  if (coupons_[place] != 0) return;
  coupons_[place] = coupon;
  ++count_;
  if (!is_crowded(count_, coupons_.size())) return;
  if (coupons_.size() == registers() / 8) return become_registers();
  std::vector<std::uint32_t> larger(coupons_.size() * 2);
  for (const std::uint32_t kept : coupons_) {
    if (kept != 0) larger[find_place(larger, kept, kWholeEntry)] = kept;
  }
  coupons_ = std::move(larger);
}

void Hll::become_registers() {
  const std::vector<std::uint32_t> coupons = std::move(coupons_);
  coupons_.clear();
  const double estimate = coupon_estimate(count_);
  count_ = 0;
  mode_ = Mode::registers;
  values_.assign(registers(), 0);
  low_sum_ = static_cast<double>(registers());
  at_minimum_ = registers();
  for (const std::uint32_t coupon : coupons) {
    if (coupon != 0) add_to_registers(coupon);
  }
  // The sum of HIP goes on from what is known so far.
  hip_ = estimate;
}

void Hll::add_to_registers(std::uint32_t coupon) {
  const std::uint32_t slot = coupon & static_cast<std::uint32_t>(registers() - 1);
  const unsigned value = value_of(coupon);
  const unsigned before = values_[slot];
  if (value > before) raise(slot, before, value);
}

void Hll::raise(std::uint32_t slot, unsigned from, unsigned to) {
  if (in_order_) hip_ += static_cast<double>(registers()) / (low_sum_ + high_sum_);
  (from < 32 ? low_sum_ : high_sum_) -= power(from);
  (to < 32 ? low_sum_ : high_sum_) += power(to);
  values_[slot] = static_cast<std::uint8_t>(to);
  if (form_ == HllForm::hll4 && to - minimum_ >= kException) note_exception(slot, to);
  if (from != minimum_) return;
  --at_minimum_;
  if (form_ != HllForm::hll4) return;
  while (at_minimum_ == 0) shift_minimum();
}

void Hll::note_exception(std::uint32_t slot, unsigned value) {
  const auto slots = static_cast<std::uint32_t>(registers() - 1);
  if (exceptions_.empty()) exceptions_.assign(hll_detail::first_exceptions(lg_k_), 0);
  const std::size_t place = find_place(exceptions_, slot, slots);
  exception_count_ += exceptions_[place] == 0 ? 1 : 0;
  exceptions_[place] = make_entry(slot, value);
  if (!is_crowded(exception_count_, exceptions_.size())) return;
  std::vector<std::uint32_t> larger(exceptions_.size() * 2);
  for (const std::uint32_t kept : exceptions_) {
    if (kept != 0) larger[find_place(larger, kept & slots, slots)] = kept;
  }
  exceptions_ = std::move(larger);
}

/// Every register is above the minimum: it is one more, and some exceptions are none any longer.
void Hll::shift_minimum() {
  ++minimum_;
  at_minimum_ = static_cast<std::size_t>(std::count(values_.begin(), values_.end(), minimum_));
  const std::vector<std::uint32_t> before = std::move(exceptions_);
  exceptions_.clear();
  exception_count_ = 0;
  for (const std::uint32_t entry : before) {
    if (entry == 0 || value_of(entry) - minimum_ < kException) continue;
    note_exception(entry & static_cast<std::uint32_t>(registers() - 1), value_of(entry));
  }
}

/// All that follows from the registers.
void Hll::recount() {
  low_sum_ = 0;
  high_sum_ = 0;
  for (const std::uint8_t value : values_) (value < 32 ? low_sum_ : high_sum_) += power(value);
  minimum_ = form_ == HllForm::hll4 ? *std::min_element(values_.begin(), values_.end()) : 0;
  at_minimum_ = static_cast<std::size_t>(std::count(values_.begin(), values_.end(), minimum_));
  exceptions_.clear();
  exception_count_ = 0;
  if (form_ != HllForm::hll4) return;
  for (std::uint32_t slot = 0; slot < registers(); ++slot) {
    if (values_[slot] - minimum_ >= kException) note_exception(slot, values_[slot]);
  }
}

Status Hll::merge(const Hll& other) {
  if (Status same = check_same(lg_k_, other.lg_k_, "lg_k", "HyperLogLog"); !same) return same;
  if (this == &other) return Done{};
  if (other.mode_ != Mode::registers) {
    const bool had_coupons = mode_ != Mode::registers;
    for (const std::uint32_t coupon : other.coupons_) {
      if (coupon != 0) add_coupon(coupon);
    }
    // HIP would depend on which of the two came first.
    if (had_coupons && mode_ == Mode::registers) forget_order();
  } else if (mode_ != Mode::registers) {
    const std::vector<std::uint32_t> mine = std::move(coupons_);
    const HllForm form = form_;
    *this = other;
    form_ = form;
    recount();
    for (const std::uint32_t coupon : mine) {
      if (coupon != 0) add_to_registers(coupon);
    }
  } else {
    merge_registers(other);
  }
  return Done{};
}

void Hll::merge_registers(const Hll& other) {
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = std::max(values_[i], other.values_[i]);
  forget_order();
}

void Hll::forget_order() {
  in_order_ = false;
  hip_ = 0;
  recount();
}

double Hll::coupons_or_registers_estimate() const {
  if (mode_ != Mode::registers) return std::max(coupon_estimate(count_), static_cast<double>(count_));
  if (in_order_) return hip_;
  std::array<std::uint32_t, 64> histogram{};
  for (const std::uint8_t value : values_) ++histogram[value];
  return ertl_estimate(histogram);
}

Estimate Hll::estimate(double confidence) const {
  const double value = coupons_or_registers_estimate();
  if (mode_ != Mode::registers) {
    if (count_ <= 1) return exact_estimate(static_cast<double>(count_));
    const double high = value / (1 - normal_deviations(confidence) * kCouponError);
    return {value, static_cast<double>(count_), high, confidence};
  }
  const double error =
      (in_order_ ? kInOrderError : kMergedError) / std::sqrt(static_cast<double>(registers()));
  Estimate estimate = relative_estimate(value, error, confidence);
  // Every register that is not empty has been filled by another value.
  const auto filled = static_cast<double>(
      values_.size() - static_cast<std::size_t>(std::count(values_.begin(), values_.end(), 0)));
  estimate.low = std::min(value, std::max(estimate.low, filled));
  return estimate;
}

}  // namespace weir
