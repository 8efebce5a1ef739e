// Which values weigh most in a stream, and between which bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/frequent_keys.h"
#include "weir/sketch/seed.h"

namespace weir {

/// Which error a list of frequent items may have.
enum class FrequentErrors : std::uint8_t {
  /// Every item listed is above the threshold, but some that are may be missing.
  no_false_positives,
  /// Every item above the threshold is listed, but some that are not may be there.
  no_false_negatives,
};

/// The heaviest values of a stream: Misra and Gries' algorithm ("Finding repeated elements", 1982) with
/// weights, throwing out about half of the keys at once (Anderson and others, "A high-performance algorithm
/// for identifying frequent items in data streams", 2017). As DataSketches' frequent items (family 10).
///
/// For every value lower <= true weight <= upper, and upper - lower is max_error() for all of them: at most
/// 3.5 * total / 2^lg_cells, and 0 while no more than three quarters of the cells are used. So no value above
/// max_error() is missing. Weights are whole numbers; their sum stops at 2^63 - 1 and says so.
///
/// Memory: 20 bytes a cell for numbers; 28 for texts, each text once, of at most 1,017 bytes.
template <class Keys>
class FrequentItems {
 public:
  using Key = typename Keys::Key;
  using OwnedKey = typename Keys::OwnedKey;

  struct Item {
    OwnedKey key;
    std::uint64_t lower;
    std::uint64_t upper;
  };
  struct Bounds {
    std::uint64_t lower;
    std::uint64_t upper;
  };

  static constexpr unsigned kMinLg = 3;
  static constexpr unsigned kMaxLg = 21;
  /// max_error() is at most this over the number of cells, of the total.
  static constexpr double kErrorFactor = 3.5;
  static constexpr std::uint64_t kMostWeight = 0x7FFFFFFFFFFFFFFF;

  /// At most 2^lg_cells cells, lg_cells from 3 to 21; three quarters of them are used. Numbers are hashed as
  /// in DataSketches under kFixedSeed, and under any other seed so that nobody can choose what collides.
  static Result<FrequentItems> create(unsigned lg_cells, Seed seed = kFixedSeed);
  /// The smallest lg_cells whose error is at most this share of the total: 0.001 -> 12.
  static Result<unsigned> suggest_lg_cells(double share);
  /// The most that one takes, in bytes; for texts of at most `key_bytes`.
  static std::size_t memory_bytes(unsigned lg_cells, std::size_t key_bytes = Keys::kMostBytes);

  /// A weight of 0 does nothing. A text of more than 1,017 bytes is kept as its first 1,000, '#' and its
  /// hash.
  void add(Key key, std::uint64_t weight = 1);
  /// A batch, each of weight 1.
  void add(std::span<const Key> keys);

  /// Afterwards this has seen what both have seen; the errors add up. Refused, and nothing changed, when the
  /// number of cells or the seed differs.
  Status merge(const FrequentItems& other);

  Bounds bounds(Key key) const;
  /// The k heaviest by their upper bounds, heaviest first, equal ones by their keys in ascending order.
  std::vector<Item> top(std::size_t k) const;
  /// Those above the threshold, in the order of top(). A threshold below max_error() is raised to it.
  std::vector<Item> above(std::uint64_t threshold, FrequentErrors errors) const;

  /// No weight is further than this from either bound.
  std::uint64_t max_error() const { return offset_; }
  std::uint64_t total_weight() const { return total_; }
  /// The total, and perhaps weights too, stand at 2^63 - 1; the upper bounds hold no longer.
  bool is_saturated() const { return saturated_; }
  std::size_t size() const { return keys_.size(); }
  unsigned lg_cells() const { return keys_.lg_most(); }
  Seed seed() const { return seed_; }

  /// The image that DataSketches reads: of i64 for numbers, of strings for texts.
  std::string to_datasketches() const;
  static Result<FrequentItems> from_datasketches(std::string_view bytes, Seed seed = kFixedSeed);

  /// Weir's own frame.
  std::string encode() const;
  static Result<FrequentItems> decode(std::string_view bytes);

 private:
  FrequentItems(unsigned lg, unsigned lg_most, Seed seed) : seed_(seed), keys_(lg, lg_most, seed) {}

  void add_hashed(Key key, std::uint64_t hash, std::uint64_t weight);
  std::uint64_t sum(std::uint64_t a, std::uint64_t b);
  template <class Wanted>
  std::vector<Item> sorted(Wanted wanted) const;

  Seed seed_;
  Keys keys_;
  std::uint64_t total_ = 0;
  std::uint64_t offset_ = 0;
  bool saturated_ = false;
};

/// Of whole numbers. DataSketches takes them as signed; the bits are the same.
using FrequentNumbers = FrequentItems<NumberKeys>;
/// Of texts, any bytes.
using FrequentTexts = FrequentItems<TextKeys>;

extern template class FrequentItems<NumberKeys>;
extern template class FrequentItems<TextKeys>;

}  // namespace weir
