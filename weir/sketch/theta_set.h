// A set of values told by the hashes of a sample of them: what sets have in common can be counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/seed.h"

namespace weir {

/// The seed that DataSketches hashes under where nobody says otherwise.
inline constexpr Seed kThetaSeed{9'001};

/// A theta sketch that takes no more values (Dasgupta, Lang, Rhodes, Thaler, "A framework for estimating
/// stream expression cardinalities", 2016): all hashes below theta, in order. As Apache DataSketches' compact
/// theta sketch (family 3).
class ThetaSet {
 public:
  /// Hashes have 63 bits; a theta of this keeps all, and the set is exact.
  static constexpr std::uint64_t kMaxTheta = 0x7FFFFFFFFFFFFFFF;

  /// The empty set.
  explicit ThetaSet(Seed seed = kThetaSeed) : seed_(seed) {}

  /// About how many values are in the set. The interval is Wilson's for hashes drawn with the chance theta.
  Estimate estimate(double confidence = kDefaultConfidence) const;
  bool is_exact() const { return theta_ == kMaxTheta; }
  /// Known to be empty, not only without a hash.
  bool empty() const { return hashes_.empty() && is_exact(); }
  /// The share of all hashes that are kept.
  double theta() const { return static_cast<double>(theta_) * 0x1p-63; }
  std::span<const std::uint64_t> hashes() const { return hashes_; }
  Seed seed() const { return seed_; }

  // Refused where the seeds differ.
  /// Of at most 2^lg_k hashes: the smallest of both. REQUIRES: lg_k <= 26.
  static Result<ThetaSet> unite(const ThetaSet& a, const ThetaSet& b, unsigned lg_k);
  static Result<ThetaSet> intersect(const ThetaSet& a, const ThetaSet& b);
  /// What is in a and not in b.
  static Result<ThetaSet> subtract(const ThetaSet& a, const ThetaSet& b);
  /// The 2^lg_k smallest hashes. REQUIRES: lg_k <= 26.
  ThetaSet trimmed(unsigned lg_k) const;

  /// The image that DataSketches reads, of serial version 3.
  std::string to_datasketches() const;
  /// Of serial version 4, in which hashes are packed: about a fifth smaller, read by DataSketches since 2023.
  /// As there, what has no hash or a single one is of version 3.
  std::string to_datasketches_packed() const;
  /// Either version. The image holds 16 bits of the seed's hash, which must be those of `seed`.
  static Result<ThetaSet> from_datasketches(std::string_view bytes, Seed seed = kThetaSeed);

  /// Weir's own frame.
  std::string encode() const;
  static Result<ThetaSet> decode(std::string_view bytes);

 private:
  friend class Theta;
  friend class ThetaReader;
  ThetaSet(Seed seed, std::uint64_t theta, std::vector<std::uint64_t> hashes)
      : seed_(seed), theta_(theta), hashes_(std::move(hashes)) {}

  void cut_to(std::uint64_t theta);

  Seed seed_;
  std::uint64_t theta_ = kMaxTheta;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace weir
