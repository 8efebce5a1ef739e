// The images of DataSketches' HyperLogLog, family 7, serial version 1.
//
//   0 preamble ints (2 list, 3 set, 10 registers)   1 version 1   2 family 7   3 lg_k
//   4 lg of the table's places   5 flags   6 count of the list, or the minimum   7 mode | form << 2
//   list: coupons from 8 on.   set: count u32, coupons from 12 on.
//   registers: HIP f64, sum f64, sum f64, count at the minimum u32, count of exceptions u32, registers from
//   40 on, then the exceptions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hll.h"
#include "weir/sketch/hll_table.h"
#include "weir/sketch/hyperloglog_frame.h"

namespace weir {
namespace {

using hll_detail::find_place;
using hll_detail::is_crowded;
using hll_detail::kKeyMask;
using hll_detail::value_of;

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFamily = 7;
constexpr std::uint8_t kEmptyFlag = 4;
constexpr std::uint8_t kCompactFlag = 8;
constexpr std::uint8_t kOutOfOrderFlag = 16;
constexpr std::array<std::uint8_t, 3> kPreambleInts{2, 3, 10};
constexpr unsigned kException = 15;
constexpr unsigned kMaxValue = 63;
constexpr std::string_view kWhat = "HyperLogLog of DataSketches";

std::size_t register_bytes(HllForm form, std::size_t registers) {
  switch (form) {
    case HllForm::hll4:
      return registers / 2;
    case HllForm::hll6:
      return registers * 3 / 4 + 1;
    case HllForm::hll8:
      break;
  }
  return registers;
}

std::string pack4(const std::vector<std::uint8_t>& values, unsigned minimum) {
  std::string packed(values.size() / 2, '\0');
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const unsigned low = std::min(values[2 * i] - minimum, kException);
    const unsigned high = std::min(values[2 * i + 1] - minimum, kException);
    packed[i] = static_cast<char>(low | high << 4U);
  }
  return packed;
}

/// Four registers in three bytes, the lowest first, and an empty byte behind all.
std::string pack6(const std::vector<std::uint8_t>& values) {
  std::string packed;
  packed.reserve(values.size() * 3 / 4 + 1);
  for (std::size_t i = 0; i < values.size(); i += 4) {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 4; ++j) bits |= static_cast<std::uint32_t>(values[i + j]) << 6 * j;
    for (unsigned j = 0; j < 3; ++j) packed += static_cast<char>(bits >> 8 * j & 0xFFU);
  }
  return packed += '\0';
}

unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

std::vector<std::uint8_t> unpack(std::string_view packed, HllForm form, std::size_t registers,
                                 unsigned minimum) {
  std::vector<std::uint8_t> values(registers);
  for (std::size_t i = 0; i < registers; ++i) {
    unsigned value = 0;
    if (form == HllForm::hll4) {
      value = (byte_at(packed, i / 2) >> (i % 2 * 4) & 15U) + minimum;
    } else if (form == HllForm::hll6) {
      const std::size_t bit = i * 6;
      value = (byte_at(packed, bit / 8) | byte_at(packed, bit / 8 + 1) << 8U) >> (bit % 8) & 63U;
    } else {
      value = byte_at(packed, i);
    }
    values[i] = static_cast<std::uint8_t>(value);
  }
  return values;
}

void put_table(ByteWriter& out, const std::vector<std::uint32_t>& table, HllImage image) {
  for (const std::uint32_t entry : table) {
    if (entry != 0 || image == HllImage::updatable) out.put<std::uint32_t>(entry);
  }
}

}  // namespace

std::string Hll::to_datasketches(HllImage image) const {
  const bool in_registers = mode_ == Mode::registers;
  const std::vector<std::uint32_t>& table = in_registers ? exceptions_ : coupons_;
  const unsigned flags = (image == HllImage::compact ? kCompactFlag : 0U) | (empty() ? kEmptyFlag : 0U) |
                         (in_order_ ? 0U : kOutOfOrderFlag);
  ByteWriter out;
  out.put<std::uint8_t>(kPreambleInts[static_cast<std::size_t>(mode_)]);
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(kFamily);
  out.put<std::uint8_t>(static_cast<std::uint8_t>(lg_k_));
  out.put<std::uint8_t>(table.empty() ? 0 : static_cast<std::uint8_t>(std::countr_zero(table.size())));
  out.put<std::uint8_t>(static_cast<std::uint8_t>(flags));
  out.put<std::uint8_t>(static_cast<std::uint8_t>(mode_ == Mode::list ? count_ : minimum_));
  out.put<std::uint8_t>(
      static_cast<std::uint8_t>(static_cast<unsigned>(mode_) | static_cast<unsigned>(form_) << 2U));
  if (mode_ == Mode::set) out.put<std::uint32_t>(static_cast<std::uint32_t>(count_));
  if (in_registers) {
    out.put<double>(hip_);
    out.put<double>(low_sum_);
    out.put<double>(high_sum_);
    out.put<std::uint32_t>(static_cast<std::uint32_t>(at_minimum_));
    out.put<std::uint32_t>(static_cast<std::uint32_t>(exception_count_));
    if (form_ == HllForm::hll4) out.put_bytes(pack4(values_, minimum_));
    if (form_ == HllForm::hll6) out.put_bytes(pack6(values_));
    if (form_ == HllForm::hll8) out.put_array<std::uint8_t>(values_);
  }
  put_table(out, table, image);
  if (in_registers && form_ == HllForm::hll4 && table.empty() && image == HllImage::updatable) {
    // Room that is not used yet is there all the same.
    out.put_bytes(std::string(hll_detail::first_exceptions(lg_k_) * sizeof(std::uint32_t), '\0'));
  }
  return out.take();
}

/// Reads either image, of bytes that are anything at all.
class HllReader {
 public:
  explicit HllReader(std::string_view bytes) : in_(bytes, kWhat) {}

  Result<Hll> read() {
    read_head();
    if (!in_.ok()) return in_.error();
    Hll hll(lg_k_, form_);
    if (mode_ == 2) {
      read_registers(hll);
    } else {
      read_coupons(hll);
    }
    if (const Status end = in_.finish(); !end) return end.error();
    return hll;
  }

 private:
  bool compact() const { return (flags_ & kCompactFlag) != 0; }

  void read_head() {
    const auto preamble = in_.get<std::uint8_t>("the preamble");
    in_.require(in_.get<std::uint8_t>("the version") == kVersion, "the serial version is not 1");
    in_.require(in_.get<std::uint8_t>("the family") == kFamily, "the family is not 7 (HLL)");
    lg_k_ = in_.get<std::uint8_t>("lg_k");
    in_.require(lg_k_ >= Hll::kMinLgK && lg_k_ <= Hll::kMaxLgK, "lg_k is not from 4 to 21");
    lg_table_ = in_.get<std::uint8_t>("the size of the table");
    flags_ = in_.get<std::uint8_t>("the flags");
    small_ = in_.get<std::uint8_t>("the count of the list or the minimum");
    const auto mode = in_.get<std::uint8_t>("the mode");
    mode_ = mode & 3U;
    in_.require(mode_ < 3 && (mode >> 2U & 3U) < 3, "there is no mode " + std::to_string(mode));
    if (in_.ok()) in_.require(preamble == kPreambleInts[mode_], "the preamble does not fit the mode");
    form_ = static_cast<HllForm>(mode >> 2U & 3U);
  }

  void read_coupons(Hll& hll) {
    const bool empty = (flags_ & kEmptyFlag) != 0;
    std::uint64_t count = small_;
    std::uint64_t places = Hll::kListSize;
    if (mode_ == 1) {
      count = in_.get<std::uint32_t>("the count of the set");
      in_.require(lg_k_ >= 8, "a set needs an lg_k of at least 8");
      in_.require(count > 0 && count <= hll.registers() / 8, "the count of the set can't be");
      in_.require(lg_table_ <= lg_k_ - 3, "the table of the set is too large");
      if (!in_.ok()) return;
      places = std::uint64_t{1} << std::max<unsigned>(lg_table_, Hll::kFirstLgSet);
    }
    in_.require(empty == (count == 0), "the flag for empty does not fit the count");
    if (!in_.ok()) return;
    // An empty list in the updatable image may leave its places out.
    const bool packed = compact() || (empty && in_.left() == 0);
    const auto coupons = in_.get_array<std::uint32_t>(packed ? count : places, "the coupons");
    for (const std::uint32_t coupon : coupons) {
      in_.require(coupon == 0 ? !packed : value_of(coupon) > 0, "a coupon has no value");
    }
    if (!in_.ok()) return;
    if (mode_ == 1) prepare_set(hll, count, places);
    if (mode_ == 1 && !packed && is_set(coupons, count)) {
      hll.coupons_ = coupons;
      hll.count_ = static_cast<std::size_t>(count);
      return;
    }
    for (const std::uint32_t coupon : coupons) {
      if (coupon != 0 && hll.mode_ != Hll::Mode::registers) hll.add_coupon(coupon);
    }
    in_.require(hll.count_ == count, "its coupons are not as many different ones as it says");
  }

  /// Whether this is a table in which each of `count` coupons is found where it stands.
  static bool is_set(const std::vector<std::uint32_t>& table, std::uint64_t count) {
    const auto entries = table.size() - static_cast<std::size_t>(std::count(table.begin(), table.end(), 0U));
    if (entries != count || is_crowded(entries, table.size())) return false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i] != 0 && find_place(table, table[i], ~std::uint32_t{0}) != i) return false;
    }
    return true;
  }

  /// A table of the same size, so that it is written in the same order.
  static void prepare_set(Hll& hll, std::uint64_t count, std::uint64_t places) {
    if (is_crowded(static_cast<std::size_t>(count), static_cast<std::size_t>(places))) {
      places = std::uint64_t{1} << Hll::kFirstLgSet;
    }
    hll.mode_ = Hll::Mode::set;
    hll.coupons_.assign(static_cast<std::size_t>(places), 0);
  }

  void read_registers(Hll& hll) {
    const auto hip = in_.get<double>("the sum of HIP");
    in_.take(2 * sizeof(double), "the sums of powers");
    in_.take(sizeof(std::uint32_t), "the count at the minimum");
    const auto exceptions = in_.get<std::uint32_t>("the count of exceptions");
    in_.require(small_ <= kMaxValue, "the minimum is above 63");
    const std::string_view packed = in_.take(register_bytes(form_, hll.registers()), "the registers");
    if (!in_.ok()) return;
    hll.mode_ = Hll::Mode::registers;
    hll.coupons_.clear();
    hll.values_ = unpack(packed, form_, hll.registers(), small_);
    read_exceptions(hll, exceptions);
    const std::uint8_t most = *std::max_element(hll.values_.begin(), hll.values_.end());
    in_.require(most <= kMaxValue, "a register is above 63");
    hll.in_order_ = (flags_ & kOutOfOrderFlag) == 0;
    in_.require(!hll.in_order_ || (std::isfinite(hip) && hip >= 0), "the sum of HIP is no number above 0");
    if (!in_.ok()) return;
    hll.hip_ = hll.in_order_ ? hip : 0;
    const std::vector<std::uint32_t> table = std::move(hll.exceptions_);
    hll.recount();
    // Found in another order they would be written in another.
    if (hll.exception_count_ == exceptions && hll.minimum_ == small_) hll.exceptions_ = table;
  }

  void read_exceptions(Hll& hll, std::uint32_t count) {
    if (form_ != HllForm::hll4) {
      in_.require(count == 0, "only registers of four bits have exceptions");
      return;
    }
    in_.require(count <= hll.registers(), "more exceptions than registers");
    in_.require(lg_table_ <= lg_k_, "the table of exceptions is too large");
    if (!in_.ok()) return;
    std::uint64_t entries = count;
    if (!compact()) {
      // One that has not been made yet is there as well, at its first size.
      entries = lg_table_ > 0 ? std::uint64_t{1} << lg_table_ : hll_detail::first_exceptions(lg_k_);
    }
    const auto table = in_.get_array<std::uint32_t>(entries, "the exceptions");
    const auto slots = static_cast<std::uint32_t>(hll.registers() - 1);
    std::vector<std::uint8_t> seen(hll.registers(), 0);
    for (const std::uint32_t entry : table) {
      if (entry == 0) continue;
      const std::uint32_t slot = entry & slots;
      if (!in_.require((entry & kKeyMask) == slot, "an exception is of no register")) return;
      const bool fits = hll.values_[slot] == kException + small_ && value_of(entry) >= kException + small_;
      if (!in_.require(fits && seen[slot] == 0, "an exception does not fit its register")) return;
      seen[slot] = 1;
      hll.note_exception(slot, value_of(entry));
    }
    in_.require(hll.exception_count_ == count, "its exceptions are not as many as it says");
    for (std::size_t slot = 0; slot < hll.registers() && in_.ok(); ++slot) {
      in_.require(seen[slot] != 0 || hll.values_[slot] != kException + small_, "an exception is missing");
    }
    for (const std::uint32_t entry : table) {
      if (entry != 0 && in_.ok()) hll.values_[entry & slots] = static_cast<std::uint8_t>(value_of(entry));
    }
  }

  ByteReader in_;
  unsigned lg_k_ = 0;
  unsigned lg_table_ = 0;
  unsigned flags_ = 0;
  unsigned small_ = 0;
  unsigned mode_ = 0;
  HllForm form_ = HllForm::hll8;
};

Result<Hll> Hll::from_datasketches(std::string_view bytes) {
  return HllReader(bytes).read();
}

std::string Hll::encode() const {
  return write_hyperloglog_frame(HyperLogLogLayout::datasketches, to_datasketches());
}

Result<Hll> Hll::decode(std::string_view bytes) {
  const Result<std::string_view> image = read_hyperloglog_frame(bytes, HyperLogLogLayout::datasketches);
  if (!image) return image.error();
  return from_datasketches(*image);
}

}  // namespace weir
