#include "weir/sketch/hashes.h"

#include <xxhash.h>

#include "weir/sketch/bytes.h"

namespace weir {
namespace {

using bytes_detail::load;
using hash_detail::rotate;

/// Up to eight bytes as a little-endian number, zeros above them.
std::uint64_t load_part(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Hash128 murmur3_x64_128(std::string_view bytes, std::uint64_t seed) {
  const std::uint64_t length = bytes.size();
  std::uint64_t h1 = seed;
  std::uint64_t h2 = seed;
  const auto mix1 = [](std::uint64_t k) {
    return rotate(k * hash_detail::kMurmur1, 31) * hash_detail::kMurmur2;
  };
  const auto mix2 = [](std::uint64_t k) {
    return rotate(k * hash_detail::kMurmur2, 33) * hash_detail::kMurmur1;
  };
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    h1 = (rotate(h1 ^ mix1(load<std::uint64_t>(bytes.data())), 27) + h2) * 5 + 0x52DCE729;
    h2 = (rotate(h2 ^ mix2(load<std::uint64_t>(bytes.data() + 8)), 31) + h1) * 5 + 0x38495AB5;
  }
  if (bytes.size() > 8) h2 ^= mix2(load_part(bytes.substr(8)));
  if (!bytes.empty()) h1 ^= mix1(load_part(bytes.substr(0, 8)));
  return hash_detail::finish_murmur3(h1, h2, length);
}

std::uint64_t murmur64a(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t m = 0xC6A4A7935BD1E995;
  std::uint64_t h = seed ^ (bytes.size() * m);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t k = load<std::uint64_t>(bytes.data()) * m;
    k ^= k >> 47U;
    h = (h ^ (k * m)) * m;
  }
  if (!bytes.empty()) h = (h ^ load_part(bytes)) * m;
  h = (h ^ (h >> 47U)) * m;
  return h ^ (h >> 47U);
}

std::uint64_t xxh64(std::string_view bytes, std::uint64_t seed) {
  // Null only of an empty text, which XXH64 need not know.
  const char* data = bytes.data();
  if (data == nullptr) data = "";
  return XXH64(data, bytes.size(), seed);
}

}  // namespace weir
