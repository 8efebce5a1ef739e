#include "weir/base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace weir {
namespace {

constexpr std::array<std::string_view, 5> kFields{"name", "match", "key", "limit", "per"};

std::string json(std::string_view bytes) {
  std::string out;
  append_json_string(out, bytes);
  return out;
}

TEST(Suggestions, AreForWhatAPersonMighthaveMeant) {
  EXPECT_EQ(closest("perod", std::array<std::string_view, 2>{"name", "period"}), "period");
  EXPECT_EQ(closest("nmae", kFields), "name");
  EXPECT_EQ(closest("limits", kFields), "limit");
  EXPECT_EQ(closest("xyz", kFields), std::nullopt);
  EXPECT_EQ(closest("", kFields), std::nullopt);
  EXPECT_EQ(closest(std::string(100'000, 'x'), kFields), std::nullopt);
  EXPECT_EQ(did_you_mean("lmit", kFields), "; did you mean \"limit\"?");
  EXPECT_EQ(did_you_mean("xyz", kFields), "");
}

TEST(ParseUint, TakesDecimalDigitsOnly) {
  EXPECT_EQ(parse_uint("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_uint("007"), 7U);
  for (const auto* text :
       {"", "-1", "+1", "1.5", "1e3", "0x10", "1_000", " 1", "1 ", "18446744073709551616"}) {
    EXPECT_FALSE(parse_uint(text)) << text;
  }
}

TEST(JsonString, IsValidWhateverTheBytes) {
  EXPECT_EQ(json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json(std::string_view("a\0b\n", 4)), R"("a\u0000b\u000a")");
  EXPECT_EQ(json("ü€😀"), "\"ü€😀\"");
  EXPECT_EQ(json("\x99"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(json("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // cut short
  EXPECT_EQ(json("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // overlong
  EXPECT_EQ(json("\xED\xA0\x80").size(), 2U + 9U);              // a surrogate
  EXPECT_EQ(json("\xF4\x90\x80\x80").size(), 2U + 12U);         // above U+10FFFF
}

TEST(Printable, SteersNoTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");  // the one-character CSI
  EXPECT_EQ(printable(std::string_view("a\0b\x99", 4)), "a\\x00b\\x99");
  EXPECT_EQ(printable("ü", 80), "ü");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Thousands, AreSeparated) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace weir
