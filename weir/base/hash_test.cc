#include "weir/base/hash.h"

#include <gtest/gtest.h>

#include <set>

namespace weir {
namespace {

std::string bytes(std::initializer_list<std::string_view> parts) {
  KeyBytes key;
  for (const std::string_view part : parts) key.append(part);
  return std::string(key.view());
}

TEST(KeyBytes, NeverCollide) {
  const std::string long_part(200, 'a');
  const std::set<std::string> keys{bytes({"a", "b_c"}),      bytes({"a_b", "c"}), bytes({"a_b_c"}),
                                   bytes({"", "ab"}),        bytes({"ab", ""}),   bytes({"ab"}),
                                   bytes({"a", "", "b"}),    bytes({"a", "b"}),   bytes({long_part, "b"}),
                                   bytes({long_part + "b"}), bytes({}),           bytes({""})};
  EXPECT_EQ(keys.size(), 12U);
}

TEST(HashSecret, IsAnotherForEachProcessAndTheSameForASeed) {
  const std::string_view key = "account 42";
  EXPECT_NE(HashSecret::random().hash(key), HashSecret::random().hash(key));
  EXPECT_EQ(HashSecret::fixed(7).hash(key), HashSecret::fixed(7).hash(key));
  EXPECT_NE(HashSecret::fixed(7).hash(key), HashSecret::fixed(8).hash(key));
}

// Two inputs that collide under one known seed of plain XXH3.
TEST(HashSecret, TellsApartWhatCollidesUnderAKnownSeed) {
  const auto from_hex = [](std::string_view hex) {
    std::string out(16, '\0');
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    }
    return out;
  };
  const std::string a = from_hex("51151210404400000000008204000105");
  const std::string b = from_hex("aeeaedefbfbbffffffffff7dfbfffefa");
  ASSERT_EQ(a.size(), 32U);
  EXPECT_NE(HashSecret::random().hash(a), HashSecret::random().hash(b));
  const HashSecret secret = HashSecret::random();
  EXPECT_NE(secret.hash(a), secret.hash(b));
}

TEST(HashSecret, SeesEveryByteOfALongKey) {
  const HashSecret secret = HashSecret::random();
  std::string key(65'536, 'k');
  const std::uint64_t before = secret.hash(key);
  key.back() = 'l';
  EXPECT_NE(secret.hash(key), before);
}

}  // namespace
}  // namespace weir
