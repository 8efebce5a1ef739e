#include "weir/sketch/datasketches_bloom.h"

#include <cmath>
#include <numbers>

#include "weir/sketch/bloom_bits.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kName = "DataSketches Bloom filter";
constexpr std::uint8_t kFamily = 21;
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kEmptyFlag = 4;
constexpr std::uint64_t kMostLongs = std::uint64_t{1} << 31U;

}  // namespace

Result<DataSketchesBloom> DataSketchesBloom::make(std::uint64_t capacity, double error, std::uint64_t seed) {
  if (!(error > 0 && error < 1) || capacity == 0) {
    return error_of(kName, "it must be made for at least 1 value and an error rate between 0 and 1");
  }
  const double bits = std::ceil(static_cast<double>(capacity) * bloom_bits_per_value(error));
  const double longs = std::ceil(bits / 64);
  const double hashes = std::ceil(bits / static_cast<double>(capacity) * std::numbers::ln2);
  if (longs >= static_cast<double>(kMostLongs) || hashes > 0x7FFF) {
    return error_of(kName, "it would take more than 16 GiB or 32767 hashes");
  }
  DataSketchesBloom filter;
  filter.bytes_.resize(static_cast<std::size_t>(longs) * 8);
  filter.hashes_ = static_cast<std::uint16_t>(hashes);
  filter.seed_ = seed;
  return filter;
}

void DataSketchesBloom::set(Hash hash) {
  for (std::uint64_t i = 1; i <= hashes_; ++i) {
    const std::uint64_t at = bit(hash, i);
    bytes_[at / 8] = static_cast<char>(static_cast<unsigned char>(bytes_[at / 8]) | 1U << at % 8);
  }
  empty_ = false;
  counted_ = kNotCounted;
}

bool DataSketchesBloom::holds(Hash hash) const {
  for (std::uint64_t i = 1; i <= hashes_; ++i) {
    const std::uint64_t at = bit(hash, i);
    if ((static_cast<unsigned char>(bytes_[at / 8]) >> at % 8 & 1U) == 0) return false;
  }
  return true;
}

void DataSketchesBloom::add(std::string_view value) {
  if (value.empty()) return;
  const std::uint64_t first = xxh64(value, seed_);
  set({first, xxh64(value, first)});
}

void DataSketchesBloom::add(std::int64_t value) {
  const std::uint64_t first = xxh64(static_cast<std::uint64_t>(value), seed_);
  set({first, xxh64(static_cast<std::uint64_t>(value), first)});
}

bool DataSketchesBloom::contains(std::string_view value) const {
  if (value.empty()) return false;
  const std::uint64_t first = xxh64(value, seed_);
  return holds({first, xxh64(value, first)});
}

bool DataSketchesBloom::contains(std::int64_t value) const {
  const std::uint64_t first = xxh64(static_cast<std::uint64_t>(value), seed_);
  return holds({first, xxh64(static_cast<std::uint64_t>(value), first)});
}

Status DataSketchesBloom::merge(const DataSketchesBloom& other) {
  if (Status same = check_same_seed(Seed{seed_}, Seed{other.seed_}, kName); !same) return same;
  if (Status same = check_same(bits(), other.bits(), "the number of bits", kName); !same) return same;
  if (Status same = check_same(hashes_, other.hashes_, "the number of hashes", kName); !same) return same;
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<char>(bytes_[i] | other.bytes_[i]);
  empty_ = empty_ && other.empty_;
  counted_ = kNotCounted;
  return Done{};
}

double DataSketchesBloom::fill() const {
  return static_cast<double>(count_bits(bytes_)) / static_cast<double>(bits());
}

double DataSketchesBloom::error_rate() const {
  return std::pow(fill(), hashes_);
}

std::string DataSketchesBloom::write_datasketches() const {
  ByteWriter out;
  out.put<std::uint8_t>(empty_ ? 3 : 4);
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(kFamily);
  out.put<std::uint8_t>(empty_ ? kEmptyFlag : 0);
  out.put<std::uint16_t>(hashes_);
  out.put<std::uint16_t>(0);
  out.put<std::uint64_t>(seed_);
  out.put<std::uint32_t>(static_cast<std::uint32_t>(bytes_.size() / 8));
  out.put<std::uint32_t>(0);
  if (!empty_) {
    out.put<std::uint64_t>(counted_);
    out.put_bytes(bytes_);
  }
  return out.take();
}

Result<DataSketchesBloom> DataSketchesBloom::read_datasketches(std::string_view bytes,
                                                               std::uint64_t most_bytes) {
  ByteReader in(bytes, kName);
  const auto head_longs = in.get<std::uint8_t>("the size of the head");
  const auto version = in.get<std::uint8_t>("the version");
  const auto family = in.get<std::uint8_t>("the family");
  const auto flags = in.get<std::uint8_t>("the flags");
  DataSketchesBloom filter;
  filter.hashes_ = in.get<std::uint16_t>("the number of hashes");
  in.get<std::uint16_t>("two unused bytes");
  filter.seed_ = in.get<std::uint64_t>("the seed");
  const std::uint64_t longs = in.get<std::uint32_t>("the size");
  in.get<std::uint32_t>("four unused bytes");
  filter.empty_ = (flags & kEmptyFlag) != 0;
  in.require(family == kFamily, "family " + std::to_string(family) + "; that of a Bloom filter is 21");
  in.require(version == kVersion, "version " + std::to_string(version) + "; this program reads version 1");
  in.require(head_longs == (filter.empty_ ? 3 : 4), "the size of its head does not fit its flags");
  in.require(filter.hashes_ > 0 && filter.hashes_ <= 0x7FFF, "it has no hashes, or more than 32767");
  in.require(longs > 0 && longs < kMostLongs, "its size is 0, or more than 2^31 longs");
  in.require(longs <= most_bytes / 8, "it takes more than " + std::to_string(most_bytes) + " bytes");
  if (filter.empty_) {
    if (in.ok()) filter.bytes_.resize(static_cast<std::size_t>(longs * 8));
  } else {
    filter.counted_ = in.get<std::uint64_t>("the count of bits");
    filter.bytes_ = in.take(longs * 8, "the bits");
    in.require(filter.counted_ == kNotCounted || filter.counted_ == count_bits(filter.bytes_),
               "it says another number of bits than are set");
  }
  if (Status end = in.finish(); !end) return end.error();
  return filter;
}

}  // namespace weir
