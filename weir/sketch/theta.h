// Counts different values so that unions, intersections and differences can be counted too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/theta_set.h"

namespace weir {

/// A theta sketch that takes values (see ThetaSet): the 2^lg_k smallest hashes and up to 7/8 more, by quick
/// selection. As Apache DataSketches' update theta sketch: the compact image of the same stream is the same.
///
/// Relative standard error: 1 / sqrt(2^lg_k - 1), 1.56 % for lg_k = 12; exact up to 1.87 * 2^lg_k values.
/// Memory: at most 16 * 2^lg_k bytes for the hashes, and as much while it grows.
/// What encode() keeps depends only on the set of values seen: a merge gives the same bytes as one that saw
/// all.
class Theta {
 public:
  static constexpr unsigned kDefaultLgK = 12;
  static constexpr unsigned kMinLgK = 5;
  static constexpr unsigned kMaxLgK = 26;

  static Result<Theta> create(unsigned lg_k = kDefaultLgK, Seed seed = kThetaSeed);
  /// The smallest lg_k whose relative standard error is at most this: 0.01 -> 14.
  static Result<unsigned> suggest_lg_k(double relative_error);
  /// The most that one takes, in bytes.
  static std::size_t memory_bytes(unsigned lg_k);

  /// Whole numbers, as DataSketches hashes them.
  void add(std::uint64_t value);
  /// A batch: all are hashed, then those below theta are kept.
  void add(std::span<const std::uint64_t> values);
  /// A text in UTF-8, or any bytes. An empty one is not counted, as DataSketches does not.
  void add(std::string_view value);
  void add(std::span<const std::string_view> values);
  /// -0.0 counts as 0.0, and every NaN as the same one.
  void add_real(double value);

  /// Afterwards this has seen what both have seen. Refused, and nothing changed, when lg_k or the seed
  /// differs.
  Status merge(const Theta& other);

  /// All that is kept, for set operations and for DataSketches.
  ThetaSet set() const;
  Estimate estimate(double confidence = kDefaultConfidence) const { return set().estimate(confidence); }
  unsigned lg_k() const { return lg_k_; }
  Seed seed() const { return seed_; }

  /// Weir's own frame, of set().trimmed(lg_k()). It is read as a ThetaSet.
  std::string encode() const { return set().trimmed(lg_k_).encode(); }

 private:
  Theta(unsigned lg_k, Seed seed);

  void keep(std::uint64_t hash) {
    if (hash < theta_ && hash != 0) insert(hash);
  }
  void insert(std::uint64_t hash);
  void rehash(std::size_t places, const std::vector<std::uint64_t>& hashes);
  void select();

  unsigned lg_k_;
  Seed seed_;
  std::uint64_t theta_ = ThetaSet::kMaxTheta;
  /// An open table; 0 is an empty place.
  std::vector<std::uint64_t> table_;
  std::size_t count_ = 0;
};

}  // namespace weir
