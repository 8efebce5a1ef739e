// Sketches that Apache DataSketches wrote, where they are at hand, and what every decoder is put through.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

inline std::string golden_path(const std::string& name) {
  return WEIR_SOURCE_DIR "/../shared/golden/" + name;
}

/// The bytes of a golden file; nothing where there is none.
inline std::optional<std::string> golden(const std::string& name) {
  std::ifstream file(golden_path(name), std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// `decode(bytes)` must refuse every prefix of good bytes and survive every flipped bit.
template <class Decode>
void expect_hostile_bytes_are_survived(const std::string& good, Decode decode) {
  ASSERT_TRUE(decode(good).ok()) << decode(good).error().message;
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(decode(std::string_view(good).substr(0, length)).ok()) << "cut after " << length;
  }
  EXPECT_FALSE(decode(good + '\0').ok());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ (1U << bit % 8));
    const auto result = decode(flipped);
    EXPECT_TRUE(result.ok() || !result.error().message.empty());
  }
}

/// The same of Weir's own frame, in which every flipped bit is found.
template <class Decode>
void expect_frame_is_guarded(const std::string& good, Decode decode) {
  expect_hostile_bytes_are_survived(good, decode);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string flipped = good;
    flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ (1U << bit % 8));
    EXPECT_FALSE(decode(flipped).ok()) << "bit " << bit;
  }
}

}  // namespace weir
