// Damage for decoders: nothing that they are given may end otherwise than in an error or a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace weir::test {

/// `decodes(bytes)` says whether they were taken. Every cut and every flipped bit must be refused.
template <class Decodes>
void expect_damage_refused(const std::string& bytes, Decodes decodes) {
  ASSERT_TRUE(decodes(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exactly that length, so that a sanitizer sees a read behind its end.
    EXPECT_FALSE(decodes(bytes.substr(0, length))) << "cut after " << length;
  }
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decodes(flipped)) << "bit " << bit;
  }
}

/// The same for a format without a checksum: what is taken need not be refused, but must be survived.
/// `decodes` uses what it gets. Every cut must be refused.
template <class Decodes>
void expect_damage_survived(const std::string& bytes, Decodes decodes) {
  ASSERT_TRUE(decodes(bytes));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decodes(bytes.substr(0, length))) << "cut after " << length;
  }
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    decodes(flipped);
  }
  EXPECT_FALSE(decodes(bytes + '\0'));
}

}  // namespace weir::test
