// The Bloom filter of RedisBloom: it grows by layers, or is full.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/redis_chunks.h"

namespace weir {

/// A scalable Bloom filter (Almeida and others, "Scalable Bloom filters", 2007) with RedisBloom's sizes,
/// hashes and dumps. When its last layer holds what it was made for, another is added, `growth` times as
/// large and with half the error rate, so that all together stay at or below `error`. One that does not scale
/// has one layer, and refuses more. RedisBloom's hash has no secret: strangers can fill it with values of
/// their choice.
class ScalableBloom {
 public:
  struct Options {
    double error = 0.01;
    std::uint64_t capacity = 100;
    /// How much larger each layer is than the one before.
    std::uint32_t growth = 2;
    bool scales = true;
    /// More bytes than this are never taken, by growing or by loading.
    std::uint64_t most_bytes = std::uint64_t{1} << 32U;
  };
  /// An error rate that is not between 0 and 1, a capacity or a growth of 0 and more bytes than the most are
  /// refused.
  static Result<ScalableBloom> make(const Options& options);

  enum class Added : std::uint8_t {
    fresh,
    /// It was contained already, or is taken for it. Nothing has changed.
    known,
    /// Neither contained nor added: it does not scale, or there are no bytes for another layer.
    full,
  };
  Added add(std::string_view value);
  bool contains(std::string_view value) const;
  /// As one after another. REQUIRES: as much room as values.
  void add(std::span<const std::string_view> values, std::span<Added> added);
  void contains(std::span<const std::string_view> values, std::span<bool> found) const;

  /// Contains what either contains. Layers of one size become one where it has room for the values of both,
  /// and stand side by side where not: the error rate is at most the sum of both. A value in both counts
  /// twice. Filters of other options and more than 64 layers are refused, and nothing is changed then.
  Status merge(const ScalableBloom& other);

  /// Values that were fresh when they were added.
  std::uint64_t items() const { return items_; }
  /// What its layers were made for, together.
  std::uint64_t capacity() const;
  std::size_t layers() const { return layers_.size(); }
  /// 0 where it does not scale.
  std::uint32_t growth() const { return scales() ? growth_ : 0; }
  bool scales() const { return (options_ & kNotScaling) == 0; }
  /// Of all layers.
  std::uint64_t bytes() const { return bytes_of(layers_); }
  /// The chance that a value which was never added is taken for contained: counted from the bits.
  double error_rate() const;
  /// The share of bits that are set, of all layers.
  double fill() const;
  std::string encode() const;
  static Result<ScalableBloom> decode(std::string_view bytes);

  /// BF.SCANDUMP: `at` is 0 first and then what the reply before said, until that is 0.
  DumpChunk dump(std::uint64_t at) const;
  /// BF.LOADCHUNK with iterator 1: a filter with empty bits, of at most `most_bytes`.
  static Result<ScalableBloom> from_header(std::string_view header, std::uint64_t most_bytes);
  /// BF.LOADCHUNK with others: `next` is the iterator that came with the bytes.
  Status load(std::uint64_t next, std::string_view bytes);

 private:
  static constexpr std::uint32_t kNoRounding = 1;
  static constexpr std::uint32_t kHash64 = 4;
  static constexpr std::uint32_t kNotScaling = 8;

  /// One Bloom filter of `bits` bits.
  struct Layer {
    std::uint64_t items = 0;
    double error = 0;
    double bits_per_entry = 0;
    std::uint32_t hashes = 0;
    std::uint64_t entries = 0;
    std::uint8_t log_bits = 0;
    std::string bits;

    std::uint64_t size() const { return std::uint64_t{bits.size()} * 8; }
  };
  struct Hash {
    std::uint64_t first;
    std::uint64_t step;
  };

  ScalableBloom() = default;
  static Hash hash(std::string_view value);
  static bool holds(const Layer& layer, Hash hash);
  static void set(Layer& layer, Hash hash);
  bool holds(Hash hash) const;
  bool grow(std::uint64_t entries, double error);
  static void take_layer(std::vector<Layer>& layers, const Layer& theirs);
  static std::uint64_t bytes_of(const std::vector<Layer>& layers);
  static bool same_shape(const Layer& a, const Layer& b);
  static Layer read_layer(ByteReader& in, std::uint64_t most_bytes);
  std::string header() const;

  std::vector<Layer> layers_;
  std::uint64_t items_ = 0;
  std::uint32_t options_ = kNoRounding | kHash64;
  std::uint32_t growth_ = 2;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace weir
