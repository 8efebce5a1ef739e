#include "weir/sketch/cuckoo_filter.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/hostile.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hashes.h"

namespace weir {
namespace {

using Added = CuckooFilter::Added;

std::string value(int i) {
  return "value " + std::to_string(i);
}

CuckooFilter filter_of(const CuckooFilter::Options& options, int from, int to) {
  CuckooFilter filter = *CuckooFilter::make(options);
  for (int i = from; i < to; ++i) EXPECT_TRUE(filter.add(value(i)));
  return filter;
}

double measured_error(const CuckooFilter& filter) {
  int found = 0;
  for (int i = 0; i < 100'000; ++i) found += filter.contains("other " + std::to_string(i)) ? 1 : 0;
  return found / 100'000.0;
}

TEST(CuckooFilter, ContainsWhatWasAddedUntilItIsRemoved) {
  CuckooFilter filter = filter_of({.capacity = 2048}, 0, 1500);
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(filter.contains(value(i)));
  EXPECT_EQ(filter.items(), 1500U);
  for (int i = 0; i < 1500; i += 2) ASSERT_TRUE(filter.remove(value(i)));
  for (int i = 1; i < 1500; i += 2) ASSERT_TRUE(filter.contains(value(i)));
  EXPECT_EQ(filter.items(), 750U);
  EXPECT_EQ(filter.deletes(), 750U);
  for (int i = 1; i < 1500; i += 2) ASSERT_TRUE(filter.remove(value(i)));
  EXPECT_EQ(filter.items(), 0U);
  EXPECT_FALSE(filter.remove(value(1)));
  EXPECT_EQ(measured_error(filter), 0);
}

TEST(CuckooFilter, GrowsAndItsErrorRateWithIt) {
  for (const std::uint16_t expansion : std::initializer_list<std::uint16_t>{1, 2, 3}) {
    const CuckooFilter filter = filter_of({.capacity = 1024, .expansion = expansion}, 0, 7000);
    for (int i = 0; i < 7000; ++i) ASSERT_TRUE(filter.contains(value(i)));
    EXPECT_GT(filter.tables(), 2U);
    EXPECT_NEAR(measured_error(filter), filter.error_rate(), 0.2 * filter.error_rate() + 0.002);
  }
  EXPECT_EQ((*CuckooFilter::make({.expansion = 3})).expansion(), 4);
}

TEST(CuckooFilter, WhenFullItSaysSoAndLosesNothing) {
  for (const CuckooFilter::Options options :
       {CuckooFilter::Options{.capacity = 256, .expansion = 0},
        CuckooFilter::Options{.capacity = 256, .expansion = 1, .most_bytes = 1000}}) {
    CuckooFilter filter = *CuckooFilter::make(options);
    int added = 0;
    while (filter.add(value(added))) ++added;
    EXPECT_GT(filter.fill(), 0.6);
    const std::string before = filter.encode();
    EXPECT_FALSE(filter.add(value(added)));
    EXPECT_EQ(filter.encode(), before);
    for (int i = 0; i < added; ++i) ASSERT_TRUE(filter.contains(value(i)));
    EXPECT_EQ(filter.items(), static_cast<std::uint64_t>(added));
  }
}

TEST(CuckooFilter, CountsDuplicates) {
  CuckooFilter filter = *CuckooFilter::make({});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(filter.add("a"));
  EXPECT_EQ(filter.count("a"), 3U);
  EXPECT_EQ(filter.count("b"), 0U);
  EXPECT_EQ(filter.add_fresh("a"), Added::known);
  EXPECT_EQ(filter.add_fresh("b"), Added::fresh);
  EXPECT_TRUE(filter.remove("a"));
  EXPECT_EQ(filter.count("a"), 2U);
}

TEST(CuckooFilter, BadSizesAreRefused) {
  EXPECT_FALSE(CuckooFilter::make({.capacity = 3}).ok());
  EXPECT_FALSE(CuckooFilter::make({.bucket_size = 0}).ok());
  EXPECT_FALSE(CuckooFilter::make({.bucket_size = 256}).ok());
  EXPECT_FALSE(CuckooFilter::make({.max_iterations = 0}).ok());
  EXPECT_FALSE(CuckooFilter::make({.expansion = 32769}).ok());
  EXPECT_FALSE(CuckooFilter::make({.capacity = ~std::uint64_t{0}}).ok());
  EXPECT_FALSE(CuckooFilter::make({.capacity = 2048, .most_bytes = 2047}).ok());
}

TEST(CuckooFilter, HasRedisBloomsHeaderAndPlaces) {
  CuckooFilter filter = *CuckooFilter::make({.capacity = 1000});
  filter.add("foo");
  const std::string header = filter.dump(0).bytes;
  ASSERT_EQ(header.size(), 38U);
  ByteReader in(header, "test");
  for (const std::uint64_t expected : {1, 512, 0, 1}) EXPECT_EQ(in.get<std::uint64_t>("field"), expected);
  for (const int expected : {2, 20, 1}) EXPECT_EQ(in.get<std::uint16_t>("field"), expected);
  const std::uint64_t hash = murmur64a("foo", 0);
  const DumpChunk data = filter.dump(1);
  ASSERT_EQ(data.bytes.size(), 1024U);
  EXPECT_EQ(data.next, 1025U);
  EXPECT_EQ(static_cast<unsigned char>(data.bytes[hash % 512 * 2]), hash % 255 + 1);
  EXPECT_EQ(filter.dump(1025).next, 0U);
}

TEST(CuckooFilter, ADumpIsLoadedInAnyChunks) {
  const CuckooFilter filter = filter_of({.capacity = 256, .expansion = 2}, 0, 1000);
  Result<CuckooFilter> loaded = CuckooFilter::from_header(filter.dump(0).bytes, 1U << 20U);
  ASSERT_TRUE(loaded.ok());
  std::string data;
  for (DumpChunk chunk = filter.dump(1); chunk.next != 0; chunk = filter.dump(chunk.next))
    data += chunk.bytes;
  for (std::size_t at = 0; at < data.size(); at += 100) {
    const std::string part = data.substr(at, 100);
    ASSERT_TRUE(loaded->load(at + part.size() + 1, part).ok());
  }
  EXPECT_EQ(loaded->dump(0).bytes, filter.dump(0).bytes);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(loaded->contains(value(i)));
  EXPECT_FALSE(loaded->load(0, "x").ok());
  EXPECT_FALSE(loaded->load(1, "x").ok());
  EXPECT_FALSE(loaded->load(data.size() + 2, "x").ok());
  EXPECT_FALSE(CuckooFilter::from_header(filter.dump(0).bytes, 100).ok());
}

void expect_merge(std::uint16_t expansion, int mine, int theirs) {
  const CuckooFilter::Options options{.capacity = 256, .expansion = expansion};
  CuckooFilter merged = filter_of(options, 0, mine);
  const CuckooFilter other = filter_of(options, mine - 10, mine + theirs);
  const std::string before = other.encode();
  ASSERT_TRUE(merged.merge(other).ok());
  EXPECT_EQ(other.encode(), before);
  EXPECT_EQ(merged.items(), static_cast<std::uint64_t>(mine + theirs + 10));
  for (int i = 0; i < mine + theirs; ++i) ASSERT_TRUE(merged.contains(value(i)));
  for (int i = mine - 10; i < mine; ++i) ASSERT_GE(merged.count(value(i)), 2U);
}

TEST(CuckooFilter, AMergeContainsBothAsOften) {
  expect_merge(1, 900, 700);
  expect_merge(2, 50, 80);
  expect_merge(0, 50, 80);
}

TEST(CuckooFilter, AMergeThatIsRefusedChangesNothing) {
  CuckooFilter filter = filter_of({.capacity = 256, .expansion = 0}, 0, 140);
  const std::string before = filter.encode();
  EXPECT_FALSE(filter.merge(filter_of({.capacity = 512, .expansion = 0}, 0, 1)).ok());
  EXPECT_FALSE(filter.merge(filter_of({.capacity = 256, .expansion = 1}, 0, 1)).ok());
  EXPECT_FALSE(filter.merge(filter_of({.capacity = 256, .bucket_size = 1, .expansion = 0}, 0, 1)).ok());
  EXPECT_EQ(filter.merge(filter_of({.capacity = 256, .expansion = 0}, 200, 340)).error().message,
            "cuckoo filter: can't merge: there is no room for the values of both");
  EXPECT_EQ(filter.encode(), before);
}

TEST(CuckooFilter, ABatchIsOneAfterAnother) {
  CuckooFilter filter = *CuckooFilter::make({});
  const std::array<std::string_view, 2> values = {"a", "b"};
  std::array<bool, 2> said{};
  filter.add(values, said);
  EXPECT_TRUE(said[0] && said[1]);
  said = {};
  filter.contains(values, said);
  EXPECT_TRUE(said[0] && said[1]);
}

TEST(CuckooFilter, DamageIsRefused) {
  const CuckooFilter filter = filter_of({.capacity = 16}, 0, 20);
  const Result<CuckooFilter> read = CuckooFilter::decode(filter.encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->encode(), filter.encode());
  test::expect_damage_refused(filter.encode(),
                              [](const std::string& bytes) { return CuckooFilter::decode(bytes).ok(); });
  // A header that says less than is loaded.
  CuckooFilter lying = *CuckooFilter::from_header((*CuckooFilter::make({.capacity = 16})).dump(0).bytes, 100);
  ASSERT_TRUE(lying.load(17, filter.dump(1).bytes).ok());
  EXPECT_TRUE(lying.remove(value(0)));
  EXPECT_EQ(lying.items(), 0U);
  test::expect_damage_survived(filter.dump(0).bytes, [](const std::string& bytes) {
    Result<CuckooFilter> loaded = CuckooFilter::from_header(bytes, 1U << 16U);
    if (!loaded) return false;
    for (int i = 0; i < 30; ++i) loaded->add(value(i));
    return loaded->bytes() <= 1U << 16U;
  });
}

}  // namespace
}  // namespace weir
