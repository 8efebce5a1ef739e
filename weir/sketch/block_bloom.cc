#include "weir/sketch/block_bloom.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "weir/sketch/block_bloom_kernel.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"

namespace weir {
namespace {

constexpr std::string_view kName = "split-block Bloom filter";
constexpr std::size_t kWords = 8;
constexpr double kWordBits = 32;
constexpr std::size_t kGroup = 32;
/// A block of so many values has all its bits set.
constexpr double kHopelessLoad = 2000;

}  // namespace

// ---- Sizes ----

double BlockBloom::expected_error(std::uint64_t count, std::uint64_t blocks) {
  // How many values meet in a block is Poisson; each sets one bit in each word.
  const double load = static_cast<double>(count) / static_cast<double>(blocks);
  if (count == 0) return 0;
  if (load > kHopelessLoad) return 1;
  // From the likeliest number to both sides, each chance from the one before it, and only then to scale.
  const auto likeliest = static_cast<unsigned>(load);
  const auto reach = static_cast<unsigned>(12 * std::sqrt(load)) + 20;
  double all = 0;
  double error = 0;
  const auto meet = [&](unsigned values, double chance) {
    all += chance;
    error += chance * std::pow(1 - std::pow(1 - 1 / kWordBits, values), kWords);
  };
  double chance = 1;
  for (unsigned j = likeliest; j <= likeliest + reach; ++j) {
    meet(j, chance);
    chance *= load / (j + 1);
  }
  chance = 1;
  for (unsigned j = likeliest; j > 0 && j + reach > likeliest; --j) {
    chance *= j / load;
    meet(j - 1, chance);
  }
  return std::fmin(error / all, 1);
}

std::uint64_t BlockBloom::suggest_blocks(std::uint64_t capacity, double error) {
  std::uint64_t low = 1;
  std::uint64_t high = kMostBlocks + 1;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (expected_error(capacity, middle) <= error) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Result<BlockBloom> BlockBloom::make(std::uint64_t capacity, double error, Seed seed) {
  if (!(error > 0 && error < 1)) {
    return error_of(kName, "the error rate is " + std::to_string(error) + "; it must lie between 0 and 1");
  }
  const std::uint64_t blocks = suggest_blocks(capacity, error);
  if (blocks > kMostBlocks) {
    return error_of(kName, std::to_string(capacity) + " values at an error rate of " + std::to_string(error) +
                               " take more than 4 GiB");
  }
  return BlockBloom(blocks, capacity, seed);
}

// ---- Values ----

void BlockBloom::add_hash(std::uint64_t hash) {
  bloom_kernel::add(blocks_[block_of(hash)].words.data(), static_cast<std::uint32_t>(hash));
}

bool BlockBloom::contains_hash(std::uint64_t hash) const {
  return bloom_kernel::contains(blocks_[block_of(hash)].words.data(), static_cast<std::uint32_t>(hash));
}

/// Batches: each group of values is hashed and its blocks sent for, and then they are touched.
struct BlockBloom::Kernel {
  template <class Filter, class Value, class Do>
  static void each(Filter& filter, std::span<const Value> values, Do go) {
    std::array<std::uint32_t, kGroup> keys{};
    std::array<decltype(filter.blocks_[0].words.data()), kGroup> places{};
    for (std::size_t at = 0; at < values.size(); at += kGroup) {
      const std::size_t count = std::min(kGroup, values.size() - at);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t hash = filter.hash(values[at + i]);
        keys[i] = static_cast<std::uint32_t>(hash);
        places[i] = filter.blocks_[filter.block_of(hash)].words.data();
        __builtin_prefetch(places[i], 1);
      }
      go(at, places.data(), keys.data(), count);
    }
  }

  template <class Value>
  static void add(BlockBloom& filter, std::span<const Value> values) {
    each(filter, values,
         [](std::size_t, std::uint32_t* const* places, const std::uint32_t* keys, std::size_t count) {
           bloom_kernel::add_group(places, keys, count);
         });
  }

  template <class Value>
  static void find(const BlockBloom& filter, std::span<const Value> values, std::span<bool> found) {
    each(filter, values,
         [&](std::size_t at, const std::uint32_t* const* places, const std::uint32_t* keys,
             std::size_t count) { bloom_kernel::find_group(places, keys, count, found.data() + at); });
  }
};

void BlockBloom::add(std::span<const std::uint64_t> values) {
  Kernel::add(*this, values);
}
void BlockBloom::add(std::span<const std::string_view> values) {
  Kernel::add(*this, values);
}
void BlockBloom::contains(std::span<const std::uint64_t> values, std::span<bool> found) const {
  Kernel::find(*this, values, found);
}
void BlockBloom::contains(std::span<const std::string_view> values, std::span<bool> found) const {
  Kernel::find(*this, values, found);
}

Status BlockBloom::merge(const BlockBloom& other) {
  if (Status same = check_same_seed(seed_, other.seed_, kName); !same) return same;
  if (Status same = check_same(blocks_.size(), other.blocks_.size(), "the number of blocks", kName); !same) {
    return same;
  }
  if (Status same = check_same(capacity_, other.capacity_, "the capacity", kName); !same) return same;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    for (std::size_t w = 0; w < kWords; ++w) blocks_[i].words[w] |= other.blocks_[i].words[w];
  }
  return Done{};
}

// ---- What the bits say ----

double BlockBloom::fill() const {
  std::uint64_t set = 0;
  for (const Block& block : blocks_) {
    for (const std::uint32_t word : block.words) set += static_cast<std::uint64_t>(std::popcount(word));
  }
  return static_cast<double>(set) / (static_cast<double>(blocks_.size()) * kWords * kWordBits);
}

double BlockBloom::error_rate() const {
  double sum = 0;
  for (const Block& block : blocks_) {
    double all = 1;
    for (const std::uint32_t word : block.words) all *= std::popcount(word) / kWordBits;
    sum += all;
  }
  return sum / static_cast<double>(blocks_.size());
}

Estimate BlockBloom::count(double confidence) const {
  const double filled = fill();
  const double infinity = std::numeric_limits<double>::infinity();
  if (filled >= 1) return {.value = infinity, .low = 0, .high = infinity, .confidence = confidence};
  // n values in z blocks of words of 32 bits leave each bit unset with a chance of e^-n/32z: linear counting
  // (Whang and others, 1990). The second term of the variance is that eight words are filled by the same
  // values.
  const double blocks = static_cast<double>(blocks_.size());
  const double load = -std::log1p(-filled);
  const double value = blocks * kWordBits * load;
  const double variance =
      blocks * (4 * (std::expm1(load) - load) + 896 * (std::expm1(load / kWordBits) - load / kWordBits));
  const double reach = normal_deviations(confidence) * std::sqrt(std::fmax(variance, 0));
  return {
      .value = value, .low = std::fmax(0, value - reach), .high = value + reach, .confidence = confidence};
}

bool BlockBloom::over_capacity() const {
  return capacity_ > 0 && count().value > static_cast<double>(capacity_);
}

// ---- Bytes ----

std::string BlockBloom::to_parquet() const {
  ByteWriter out;
  for (const Block& block : blocks_) out.put_array<std::uint32_t>(block.words);
  return out.take();
}

std::string BlockBloom::encode() const {
  ByteWriter out;
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put_varint(capacity_);
  out.put_varint(blocks_.size());
  out.put_bytes(to_parquet());
  return write_frame(SketchKind::block_bloom, out.bytes());
}

Result<BlockBloom> BlockBloom::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::block_bloom);
  if (!payload) return payload.error();
  ByteReader in(*payload, kName);
  const Seed seed{in.get<std::uint64_t>("the seed")};
  const std::uint64_t capacity = in.get_varint("the capacity");
  const std::uint64_t blocks = in.get_count(kBlockBytes, "the blocks");
  in.require(blocks > 0 && blocks <= kMostBlocks, "it has no blocks, or more than 4 GiB of them");
  const std::string_view bitset = in.take(blocks * kBlockBytes, "the blocks");
  if (Status end = in.finish(); !end) return end.error();
  Result<BlockBloom> filter = from_parquet(bitset);
  if (!filter) return filter;
  filter->seed_ = seed;
  filter->capacity_ = capacity;
  return filter;
}

Result<BlockBloom> BlockBloom::from_parquet(std::string_view bitset) {
  const std::uint64_t blocks = bitset.size() / kBlockBytes;
  if (blocks == 0 || bitset.size() % kBlockBytes != 0 || blocks > kMostBlocks) {
    return error_of(kName, "its bitset has " + std::to_string(bitset.size()) +
                               " bytes; it must have a multiple of 32, up to 4 GiB");
  }
  BlockBloom filter(blocks, 0, kParquetSeed);
  ByteReader in(bitset, kName);
  for (Block& block : filter.blocks_) {
    for (std::uint32_t& word : block.words) word = in.get<std::uint32_t>("a block");
  }
  return filter;
}

}  // namespace weir
