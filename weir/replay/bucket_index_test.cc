#include "weir/replay/bucket_index.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(BucketIndex, numbers_buckets_in_order_of_first_sight_and_remembers_them) {
  BucketIndex index;
  // Hashes that differ only in their high bits all want the same slot.
  const auto bucket = [](std::uint64_t i) { return i << 40U; };
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(index.number_of(bucket(i)), i);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(index.number_of(bucket(i)), i);
  EXPECT_EQ(index.size(), 1000U);
}

}  // namespace
}  // namespace weir
