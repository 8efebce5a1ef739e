// How often each value came: a Count-Min sketch.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/seed.h"

namespace weir {

struct CountMinSize {
  std::uint64_t width = 0;
  std::uint64_t depth = 0;
};

/// So wide and deep that a count is at most `error` * total too high, but with this chance: e / error
/// counters in each of ln(1 / chance) rows. REQUIRES: 0 < error < 1, 0 < chance < 1.
CountMinSize suggest_count_min(double error, double chance);
/// The size that RedisBloom's CMS.INITBYPROB takes: 2 / error counters in each of log2(1 / chance) rows.
CountMinSize redis_count_min(double error, double chance);

/// A Count-Min sketch (Cormode and Muthukrishnan, "An improved data stream summary: the count-min sketch and
/// its applications", 2005) with conservative update (Estan and Varghese, "New directions in traffic
/// measurement and accounting", 2002): of a value's counters only those are raised that would be too low. An
/// estimate is never below the truth, and above it by at most e / width * total with a chance of 1 -
/// e^-depth; by far less where few values make up most of the stream. Counters stop at their maximum, and say
/// so.
template <class Cell>
class BasicCountMin {
 public:
  static constexpr std::uint64_t kMostDepth = 64;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32U;
  static constexpr Cell kMostCount = std::numeric_limits<Cell>::max();

  /// A width or depth of 0, more than 64 rows and more than 4 GiB are refused.
  static Result<BasicCountMin> make(CountMinSize size, Seed seed = kFixedSeed);
  /// See suggest_count_min; an error or a chance that is not between 0 and 1 is refused.
  static Result<BasicCountMin> make(double error, double chance, Seed seed = kFixedSeed);

  /// Counts it so often more; says what estimate() then says.
  std::uint64_t add(std::string_view value, std::uint64_t count = 1) { return add_hash(hash_(value), count); }
  std::uint64_t add(std::uint64_t value, std::uint64_t count = 1) { return add_hash(hash_(value), count); }
  /// Once each, as one after another; hashed first, so that the counters are on their way when they are
  /// needed.
  void add(std::span<const std::uint64_t> values);
  void add(std::span<const std::string_view> values);
  /// So often each, and what add() says of each; a negative count is refused, and nothing is changed then.
  /// REQUIRES: as many counts, and as much room, as values.
  Status add(std::span<const std::string_view> values, std::span<const std::int64_t> counts,
             std::span<std::uint64_t> estimates);

  /// At least as often as it came, unless saturated() and this is kMostCount.
  std::uint64_t estimate(std::string_view value) const { return estimate_hash(hash_(value)); }
  std::uint64_t estimate(std::uint64_t value) const { return estimate_hash(hash_(value)); }
  /// An estimate with its bounds: the truth is not above it, and not below `low` with the confidence told.
  /// The high of a counter that has stopped is infinite.
  Estimate bounds(std::uint64_t estimate) const;

  /// Adds up the counters, the other's `weight` times: estimates of the sum are never too low, and too high
  /// by at most the sum of both errors. Because of the conservative update they may be higher than those of
  /// one sketch that saw both. Other sizes or seeds are refused, and nothing is changed then.
  Status merge(const BasicCountMin& other, std::uint64_t weight = 1);

  std::uint64_t width() const { return width_; }
  std::uint64_t depth() const { return depth_; }
  Seed seed() const { return seed_; }
  /// All that was counted. Stops at 2^64 - 1.
  std::uint64_t total() const { return total_; }
  /// Whether a counter has stopped at its maximum, so that it may be too low.
  bool saturated() const { return saturated_; }
  std::uint64_t bytes() const { return std::uint64_t{cells_.size()} * sizeof(Cell); }

  std::string encode() const;
  static Result<BasicCountMin> decode(std::string_view bytes);

 private:
  BasicCountMin(CountMinSize size, Seed seed);

  /// Rows share no randomness but the hash: multiply-shift by a factor of its own (Dietzfelbinger and others,
  /// "A reliable randomized algorithm for the closest-pair problem", 1997).
  std::size_t place(std::uint64_t hash, std::uint64_t row) const {
    return static_cast<std::size_t>(row * width_ + (((hash * factors_[row]) >> 32U) * width_ >> 32U));
  }
  std::uint64_t add_hash(std::uint64_t hash, std::uint64_t count);
  template <class Depth>
  Cell raise(std::uint64_t hash, std::uint64_t count, Depth depth);
  std::uint64_t estimate_hash(std::uint64_t hash) const;
  template <class Value>
  void add_each(std::span<const Value> values);

  std::uint64_t width_;
  std::uint64_t depth_;
  Seed seed_;
  SeededHash hash_;
  std::array<std::uint64_t, kMostDepth> factors_{};
  std::uint64_t total_ = 0;
  bool saturated_ = false;
  std::vector<Cell> cells_;
};

/// Counters of 32 bits, which stop at 4,294,967,295; for counts.
using CountMin = BasicCountMin<std::uint32_t>;
/// Counters of 64 bits; for sums, such as of bytes.
using WideCountMin = BasicCountMin<std::uint64_t>;

extern template class BasicCountMin<std::uint32_t>;
extern template class BasicCountMin<std::uint64_t>;

}  // namespace weir
