// Counts by bucket number, for as many neighbouring numbers as are allowed: what DDSketch keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// Buckets of consecutive numbers, at most `most` of them. Where more would be needed the lowest are joined
/// into one: all counts below go to the lowest that is kept. What is kept depends only on what was added, not
/// on its order.
class BucketCounts {
 public:
  explicit BucketCounts(std::size_t most) : most_(most) {}

  void add(std::int32_t bucket, std::uint64_t count = 1) {
    const auto at = static_cast<std::uint32_t>(bucket) - static_cast<std::uint32_t>(first_);
    if (at < counts_.size()) {
      counts_[at] += count;
      return;
    }
    add_outside(bucket, count);
  }

  std::size_t most() const { return most_; }
  /// The number of the first of counts().
  std::int32_t first() const { return first_; }
  std::span<const std::uint64_t> counts() const { return counts_; }
  /// Whether the lowest bucket that is not empty also holds values of lower ones.
  bool has_joined() const { return joined_; }
  /// From the lowest to the highest that are not empty.
  struct Range {
    std::int32_t first;
    std::span<const std::uint64_t> counts;
  };
  Range used() const;
  /// Adds all of another one.
  void merge(const BucketCounts& other);
  /// For a decoder: that lower ones have been joined into the first used.
  void set_joined() { joined_ = true; }

 private:
  void add_outside(std::int32_t bucket, std::uint64_t count);
  void cover(std::int64_t first, std::int64_t last);

  std::size_t most_;
  std::int32_t first_ = 0;
  std::vector<std::uint64_t> counts_;
  bool joined_ = false;
};

}  // namespace weir
