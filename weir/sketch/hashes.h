// The hash functions of the foreign formats, seeded as those seed them. Weir's own summaries use SeededHash.
#pragma once

#include <cstdint>
#include <string_view>

namespace weir {

struct Hash128 {
  std::uint64_t low;
  std::uint64_t high;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

namespace hash_detail {

constexpr std::uint64_t rotate(std::uint64_t x, unsigned by) {
  return (x << by) | (x >> (64 - by));
}
constexpr std::uint64_t fmix64(std::uint64_t k) {
  k = (k ^ (k >> 33U)) * 0xFF51AFD7ED558CCD;
  k = (k ^ (k >> 33U)) * 0xC4CEB9FE1A85EC53;
  return k ^ (k >> 33U);
}
inline constexpr std::uint64_t kMurmur1 = 0x87C37B91114253D5;
inline constexpr std::uint64_t kMurmur2 = 0x4CF5AD432745937F;

constexpr Hash128 finish_murmur3(std::uint64_t h1, std::uint64_t h2, std::uint64_t length) {
  h1 ^= length;
  h2 ^= length;
  h1 += h2;
  h2 += h1;
  h1 = fmix64(h1);
  h2 = fmix64(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

}  // namespace hash_detail

/// MurmurHash3_x64_128 (Appleby, public domain), both halves seeded with `seed`, as DataSketches does.
Hash128 murmur3_x64_128(std::string_view bytes, std::uint64_t seed);

/// The same of the eight bytes of `value`, little-endian.
constexpr Hash128 murmur3_x64_128(std::uint64_t value, std::uint64_t seed) {
  const std::uint64_t k1 = hash_detail::rotate(value * hash_detail::kMurmur1, 31) * hash_detail::kMurmur2;
  return hash_detail::finish_murmur3(seed ^ k1, seed, sizeof value);
}

/// MurmurHash64A (Appleby, public domain), as Redis and RedisBloom use it.
std::uint64_t murmur64a(std::string_view bytes, std::uint64_t seed);

/// XXH64, as Parquet and DataSketches' Bloom filters use it.
std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed);

/// The same of the eight bytes of `value`, little-endian.
constexpr std::uint64_t xxh64(std::uint64_t value, std::uint64_t seed) {
  constexpr std::uint64_t p1 = 0x9E3779B185EBCA87;
  constexpr std::uint64_t p2 = 0xC2B2AE3D27D4EB4F;
  constexpr std::uint64_t p3 = 0x165667B19E3779F9;
  constexpr std::uint64_t p4 = 0x85EBCA77C2B2AE63;
  constexpr std::uint64_t p5 = 0x27D4EB2F165667C5;
  std::uint64_t h = seed + p5 + sizeof value;
  h ^= hash_detail::rotate(value * p2, 31) * p1;
  h = hash_detail::rotate(h, 27) * p1 + p4;
  h = (h ^ (h >> 33U)) * p2;
  h = (h ^ (h >> 29U)) * p3;
  return h ^ (h >> 32U);
}

}  // namespace weir
