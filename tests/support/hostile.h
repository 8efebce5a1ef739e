// Damage for decoders: nothing that they are given may end otherwise than in an error or a value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace weir::test {

template <class Decodes>
void expect_cuts_refused(const std::string& bytes, Decodes& decodes) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // A copy of exactly that length, so that a sanitizer sees a read behind its end.
    EXPECT_FALSE(decodes(bytes.substr(0, length))) << "cut after " << length;
  }
}

/// Calls try_one(flipped, bit) for each bit.
template <class TryOne>
void flip_each_bit(const std::string& bytes, TryOne try_one) {
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    try_one(flipped, bit);
  }
}

/// `decodes(bytes)` says whether they were taken. Every cut and every flipped bit must be refused.
template <class Decodes>
void expect_damage_refused(const std::string& bytes, Decodes decodes) {
  ASSERT_TRUE(decodes(bytes));
  expect_cuts_refused(bytes, decodes);
  flip_each_bit(bytes, [&](const std::string& flipped, std::size_t bit) {
    EXPECT_FALSE(decodes(flipped)) << "bit " << bit;
  });
}

/// The same for a format without a checksum: what is taken need not be refused, but must be survived.
/// `decodes` uses what it gets. Every cut must be refused.
template <class Decodes>
void expect_damage_survived(const std::string& bytes, Decodes decodes) {
  ASSERT_TRUE(decodes(bytes));
  expect_cuts_refused(bytes, decodes);
  flip_each_bit(bytes, [&](const std::string& flipped, std::size_t /*bit*/) { decodes(flipped); });
  EXPECT_FALSE(decodes(bytes + '\0'));
}

}  // namespace weir::test
