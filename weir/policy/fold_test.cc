#include "weir/policy/fold.h"

#include <random>

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr FoldSteps kAll{.trim = true, .casefold = true, .nfkc = true};

std::string folded(std::string text, FoldSteps steps = kAll) {
  FoldScratch scratch;
  fold(text, steps, scratch);
  return text;
}

// B38
TEST(Fold, OneAccountHoweverSpelled) {
  for (const char* name : {"admin@x.org", " admin@x.org", "ADMIN@x.org", "\tadmin@x.org", "admin@x.org\n",
                           "ａdmin@x.org", "\u00A0ＡＤＭＩＮ＠X.ORG\u3000", "admin@x.org\r\n\v\f"}) {
    EXPECT_EQ(folded(name), "admin@x.org") << name;
  }
}

TEST(Fold, EachStepByItself) {
  EXPECT_EQ(folded(" Ａb ", {.trim = true}), "Ａb");
  EXPECT_EQ(folded(" Ａb ", {.casefold = true}), " ａb ");
  EXPECT_EQ(folded(" Ａb ", {.nfkc = true}), " Ab ");
  EXPECT_EQ(folded(" Ab ", {}), " Ab ");
  EXPECT_EQ(folded("Straße", {.casefold = true}), "strasse");
  EXPECT_EQ(folded("STRASSE", {.casefold = true}), "strasse");
  EXPECT_EQ(folded("ΣΊΣΥΦΟΣ", {.casefold = true}), "σίσυφοσ");
  EXPECT_EQ(folded("e\u0301", {.nfkc = true}), "é");
  EXPECT_EQ(folded("ﬁn", {.nfkc = true}), "fin");
  EXPECT_EQ(folded("\u1100\u1161", {.nfkc = true}), "가");
  // Marks in any order are one text.
  EXPECT_EQ(folded("a\u0323\u0307", {.nfkc = true}), folded("a\u0307\u0323", {.nfkc = true}));
}

TEST(Fold, NulAndBrokenUtf8AreLegalBytes) {
  const std::string nul("admin\0x", 7);
  EXPECT_EQ(folded(nul), nul);
  EXPECT_NE(folded(nul), "admin");
  EXPECT_EQ(folded(std::string("\0", 1)), std::string("\0", 1));
  EXPECT_EQ(folded("\xff\xfe"), "\xff\xfe");
  EXPECT_EQ(folded("ADMIN\xff"), "admin\xff");
  EXPECT_EQ(folded("Ａ\xe2\x82Ｂ"),
            "a\xe2\x82"
            "b");
  EXPECT_EQ(folded("\xed\xa0\x80Ａ"),
            "\xed\xa0\x80"
            "a");
  EXPECT_EQ(folded(" \xff "), "\xff");
  EXPECT_EQ(folded(""), "");
  EXPECT_EQ(folded(" \t\n"), "");
}

TEST(Fold, WhatIsFoldedStaysSo) {
  std::mt19937_64 random(3);
  const std::vector<std::string> pieces{"a",
                                        "A",
                                        " ",
                                        "Ａ",
                                        "\u0301",
                                        "\u0323",
                                        "\u0345",
                                        "ß",
                                        "İ",
                                        "ﬃ",
                                        "\xff",
                                        "\xe2\x82",
                                        "\u00A8",
                                        "\u3000",
                                        "가",
                                        "\u1161",
                                        std::string("\0", 1),
                                        "ͅ",
                                        "ᾳ",
                                        "Ϊ́",
                                        "℡",
                                        "\u0F73",
                                        "ǅ"};
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (auto n = random() % 8; n > 0; --n) text += pieces[random() % pieces.size()];
    const FoldSteps steps{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    const std::string once = folded(text, steps);
    ASSERT_EQ(folded(once, steps), once) << text;
  }
}

TEST(Fold, TakesTimeInProportionToTheLength) {
  // Marks out of order, for which exchanging neighbours would take the square of the length: the test would
  // not end.
  std::string hostile = "a";
  for (int i = 0; i < 4'000'000; ++i) hostile += i % 2 == 0 ? "\u0301" : "\u0323";
  EXPECT_FALSE(folded(hostile).empty());
}

}  // namespace
}  // namespace weir
