// The classic Bloom filter of Apache DataSketches (family 21), to be read and written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/result.h"

namespace weir {

/// Bits chosen by two XXH64 hashes (Kirsch and Mitzenmacher, "Less hashing, same performance", 2006), as
/// DataSketches' bloom_filter has them. For exchange; BlockBloom answers faster from about the same bytes.
class DataSketchesBloom {
 public:
  /// As `size_by_accuracy` of DataSketches: for `capacity` values at an error rate of `error`. An error that
  /// is not between 0 and 1, a capacity of 0 and more than 2^31 longs are refused.
  static Result<DataSketchesBloom> make(std::uint64_t capacity, double error, std::uint64_t seed = 9001);

  /// Texts by their bytes (the empty one is ignored, as there), whole numbers as 64 bits.
  void add(std::string_view value);
  void add(std::int64_t value);
  bool contains(std::string_view value) const;
  bool contains(std::int64_t value) const;

  /// Contains what either contains. Other sizes, hashes or seeds are refused, and nothing is changed then.
  Status merge(const DataSketchesBloom& other);

  bool empty() const { return empty_; }
  std::uint64_t bits() const { return std::uint64_t{bytes_.size()} * 8; }
  std::uint16_t hashes() const { return hashes_; }
  std::uint64_t seed() const { return seed_; }
  /// The share of bits that are set.
  double fill() const;
  /// The chance that a value which was never added is taken for contained: counted from the bits.
  double error_rate() const;

  std::string write_datasketches() const;
  /// Takes at most `most_bytes`: an empty filter says its size without having the bytes.
  static Result<DataSketchesBloom> read_datasketches(std::string_view bytes,
                                                     std::uint64_t most_bytes = std::uint64_t{1} << 30U);

 private:
  /// What stands for the number of bits that are set where nobody has counted them.
  static constexpr std::uint64_t kNotCounted = ~std::uint64_t{0};

  struct Hash {
    std::uint64_t first;
    std::uint64_t step;
  };

  DataSketchesBloom() = default;
  std::uint64_t bit(Hash hash, std::uint64_t i) const {
    return ((hash.first + i * hash.step) >> 1U) % bits();
  }
  void set(Hash hash);
  bool holds(Hash hash) const;

  std::string bytes_;
  std::uint16_t hashes_ = 0;
  std::uint64_t seed_ = 0;
  bool empty_ = true;
  std::uint64_t counted_ = kNotCounted;
};

}  // namespace weir
