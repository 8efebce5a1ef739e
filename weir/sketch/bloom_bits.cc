#include "weir/sketch/bloom_bits.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace weir {

double bloom_bits_per_value(double error) {
  return -std::log(error) / (std::numbers::ln2 * std::numbers::ln2);
}

std::uint64_t count_bits(std::string_view bytes) {
  std::uint64_t count = 0;
  for (; bytes.size() >= sizeof count; bytes.remove_prefix(sizeof count)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    count += static_cast<std::uint64_t>(std::popcount(word));
  }
  for (const char byte : bytes) {
    count += static_cast<std::uint64_t>(std::popcount(static_cast<unsigned char>(byte)));
  }
  return count;
}

}  // namespace weir
