// HyperLogLog as Apache DataSketches stores it: for counts that Spark, Druid, Postgres and others read and
// merge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/estimate.h"

namespace weir {

/// Bits of a register in the image; they hold the same and differ in size alone.
enum class HllForm : std::uint8_t { hll4 = 0, hll6 = 1, hll8 = 2 };

/// What an image holds: compact is what is sent, updatable what Spark's hll_sketch_agg keeps.
enum class HllImage : std::uint8_t { compact, updatable };

/// Counts different values. Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog" (2007), with the estimator HIP
/// (Cohen 2014, Ting 2014) while it has seen one stream, and Ertl's (2017) once registers were merged.
/// Up to 7 values stand in a list and up to 3/32 of the registers in a hash set, where counts are exact but
/// for one pair of values in 200 million.
///
/// Relative standard error: 0.833 / sqrt(2^lg_k) for one stream, 1.04 / sqrt(2^lg_k) after a merge.
/// Memory: at most 2^lg_k bytes and, for hll4, a small table. In memory every form has registers of a byte.
///
/// The hash is MurmurHash3 with the seed that DataSketches fixes, so anyone can choose values that spoil the
/// count: for what strangers send, use UltraLogLog with a random seed.
class Hll {
 public:
  static constexpr unsigned kMinLgK = 4;
  static constexpr unsigned kMaxLgK = 21;

  /// 2^lg_k registers, lg_k from 4 to 21.
  static Result<Hll> create(unsigned lg_k, HllForm form);
  /// The smallest lg_k whose relative standard error after merges is at most this; an error when none is
  /// small enough (below 0.072 %) or the wish is not above 0.
  static Result<unsigned> suggest_lg_k(double relative_error);
  /// The most that one takes, in bytes.
  static std::size_t memory_bytes(unsigned lg_k);

  /// Whole numbers, as DataSketches hashes them (signed ones by their two's complement).
  void add(std::uint64_t value);
  /// A batch: all are hashed, then counted.
  void add(std::span<const std::uint64_t> values);
  /// A text in UTF-8, or any bytes. An empty one is not counted, as DataSketches does not.
  void add(std::string_view value);
  void add(std::span<const std::string_view> values);
  /// -0.0 counts as 0.0, and every NaN as the same one.
  void add_real(double value);

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, when lg_k differs. The form
  /// may differ; it stays.
  Status merge(const Hll& other);

  Estimate estimate(double confidence = kDefaultConfidence) const;
  bool empty() const { return mode_ == Mode::list && count_ == 0; }
  unsigned lg_k() const { return lg_k_; }
  HllForm form() const { return form_; }

  /// The image that DataSketches reads (family 7).
  std::string to_datasketches(HllImage image = HllImage::compact) const;
  /// Either image. What can be counted anew from the registers is, and not believed.
  static Result<Hll> from_datasketches(std::string_view bytes);

  /// Weir's own frame.
  std::string encode() const;
  static Result<Hll> decode(std::string_view bytes);

 private:
  friend class HllReader;
  enum class Mode : std::uint8_t { list = 0, set = 1, registers = 2 };

  Hll(unsigned lg_k, HllForm form) : lg_k_(lg_k), form_(form), coupons_(kListSize) {}

  static constexpr std::size_t kListSize = 8;
  static constexpr unsigned kFirstLgSet = 5;

  std::size_t registers() const { return std::size_t{1} << lg_k_; }
  void add_coupon(std::uint32_t coupon);
  void add_to_list(std::uint32_t coupon);
  void add_to_set(std::uint32_t coupon);
  void add_to_registers(std::uint32_t coupon);
  void become_set();
  void become_registers();
  void raise(std::uint32_t slot, unsigned from, unsigned to);
  void note_exception(std::uint32_t slot, unsigned value);
  void shift_minimum();
  void recount();
  void forget_order();
  void merge_registers(const Hll& other);
  double coupons_or_registers_estimate() const;

  unsigned lg_k_;
  HllForm form_;
  Mode mode_ = Mode::list;
  /// The list or the set: an open table in the order and with the steps of DataSketches, so that the image is
  /// the same. 0 is an empty place.
  std::vector<std::uint32_t> coupons_;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> values_;
  /// The sum of HIP; of no use when not in_order_.
  double hip_ = 0;
  /// The sums of 2^-value over registers below 32 and from 32 on; both exact.
  double low_sum_ = 0;
  double high_sum_ = 0;
  /// hll4 tells registers by what they have above the least of them, which is kept; else 0.
  unsigned minimum_ = 0;
  std::size_t at_minimum_ = 0;
  bool in_order_ = true;
  /// hll4: slots whose value is 15 or more above the minimum, in a table like that of the coupons.
  std::vector<std::uint32_t> exceptions_;
  std::size_t exception_count_ = 0;
};

}  // namespace weir
