// A split-block Bloom filter: whether a value has been seen, at one cache line a question.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {

/// The filter of Apache Parquet ("Parquet Bloom filter", parquet-format/BloomFilter.md; Putze and others,
/// "Cache-, hash- and space-efficient Bloom filters", 2009). A value sets one bit in each of the eight 32-bit
/// words of one block; XXH64 under the seed chooses them. What was added is always contained; what was not is
/// taken for contained with a chance that error_rate() tells. Nothing can be taken out again.
class BlockBloom {
 public:
  static constexpr std::uint64_t kBlockBytes = 32;
  static constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 27U;  // 4 GiB

  /// Large enough that `capacity` different values keep the error rate at or below `error`: 10.5 bits a value
  /// at 1 %. An error that is not between 0 and 1, and a size above 4 GiB, are refused.
  static Result<BlockBloom> make(std::uint64_t capacity, double error, Seed seed = kFixedSeed);
  /// The blocks of 32 bytes that make() would take; kMostBlocks + 1 where they are more than kMostBlocks.
  /// REQUIRES: 0 < error < 1.
  static std::uint64_t suggest_blocks(std::uint64_t capacity, double error);
  /// The error rate to expect of so many blocks after `count` different values.
  static double expected_error(std::uint64_t count, std::uint64_t blocks);

  void add(std::string_view value) { add_hash(hash(value)); }
  void add(std::uint64_t value) { add_hash(hash(value)); }
  bool contains(std::string_view value) const { return contains_hash(hash(value)); }
  bool contains(std::uint64_t value) const { return contains_hash(hash(value)); }
  /// As one after another; hashed first, so that the blocks are on their way when they are needed.
  void add(std::span<const std::uint64_t> values);
  void add(std::span<const std::string_view> values);
  /// REQUIRES: as much room as values.
  void contains(std::span<const std::uint64_t> values, std::span<bool> found) const;
  void contains(std::span<const std::string_view> values, std::span<bool> found) const;

  /// The same bits as a filter that saw both. Different sizes or seeds are refused, and nothing is changed
  /// then.
  Status merge(const BlockBloom& other);

  /// The share of bits that are set.
  double fill() const;
  /// The chance that a value which was never added is taken for contained: counted from the bits.
  double error_rate() const;
  /// How many different values were added, from the bits. Low and high are infinite where all are set.
  Estimate count(double confidence = kDefaultConfidence) const;
  /// What it was made for; 0 where a foreign bitset does not say.
  std::uint64_t capacity() const { return capacity_; }
  /// More values than it was made for: its error rate is above what was wished. Looks at every bit.
  bool over_capacity() const;
  std::uint64_t bytes() const { return blocks_.size() * kBlockBytes; }
  Seed seed() const { return seed_; }

  std::string encode() const;
  static Result<BlockBloom> decode(std::string_view bytes);

  /// Parquet hashes with this seed: a filter that is to be written for it must be made with it. Numbers are
  /// then INT64 or UINT64 columns, texts BYTE_ARRAY ones.
  static constexpr Seed kParquetSeed{0};
  /// The bitset that stands behind Parquet's BloomFilterHeader.
  std::string to_parquet() const;
  static Result<BlockBloom> from_parquet(std::string_view bitset);

 private:
  struct alignas(kBlockBytes) Block {
    std::array<std::uint32_t, 8> words{};
  };
  struct Kernel;

  BlockBloom(std::uint64_t blocks, std::uint64_t capacity, Seed seed)
      : blocks_(static_cast<std::size_t>(blocks)), capacity_(capacity), seed_(seed) {}

  std::uint64_t hash(std::string_view value) const { return xxh64(value, static_cast<std::uint64_t>(seed_)); }
  std::uint64_t hash(std::uint64_t value) const { return xxh64(value, static_cast<std::uint64_t>(seed_)); }
  void add_hash(std::uint64_t hash);
  bool contains_hash(std::uint64_t hash) const;
  std::size_t block_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(((hash >> 32U) * blocks_.size()) >> 32U);
  }

  std::vector<Block> blocks_;
  std::uint64_t capacity_;
  Seed seed_;
};

}  // namespace weir
