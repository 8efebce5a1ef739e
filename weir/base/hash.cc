#include "weir/base/hash.h"

#include <cstring>
#include <random>

#include <xxhash.h>

#include "weir/base/varint.h"

namespace weir {

static_assert(std::tuple_size_v<std::array<unsigned char, 192>> >= XXH3_SECRET_SIZE_MIN);

HashSecret HashSecret::random() {
  HashSecret secret;
  std::random_device device;
  for (std::size_t i = 0; i < secret.secret_.size(); i += sizeof(std::uint32_t)) {
    const std::uint32_t word = device();
    std::memcpy(secret.secret_.data() + i, &word, sizeof word);
  }
  return secret;
}

HashSecret HashSecret::fixed(std::uint64_t seed) {
  HashSecret secret;
  for (std::size_t i = 0; i < secret.secret_.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t word = XXH64(&i, sizeof i, seed);
    std::memcpy(secret.secret_.data() + i, &word, sizeof word);
  }
  return secret;
}

std::uint64_t HashSecret::hash(std::string_view bytes) const {
  return XXH3_64bits_withSecret(bytes.data(), bytes.size(), secret_.data(), secret_.size());
}

void KeyBytes::append(std::string_view part) {
  append(static_cast<std::uint64_t>(part.size()));
  bytes_ += part;
}

void KeyBytes::append(std::uint64_t number) {
  append_varint(bytes_, number);  // prefix-free, and one byte for nearly every part
}

}  // namespace weir
