#include "weir/policy/pattern.h"

#include <random>

#include <gtest/gtest.h>

namespace weir {
namespace {

/// By trying everything.
bool slowly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return slowly(pattern.substr(1), text) || (!text.empty() && slowly(pattern, text.substr(1)));
  return !text.empty() && text[0] == pattern[0] && slowly(pattern.substr(1), text.substr(1));
}

/// The same for templates, with ? for a name.
bool slowly_template(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] != '?') {
    return !text.empty() && text[0] == pattern[0] && slowly_template(pattern.substr(1), text.substr(1));
  }
  for (std::size_t n = 1; n <= text.size() && text[n - 1] != '/'; ++n) {
    if (slowly_template(pattern.substr(1), text.substr(n))) return true;
  }
  return false;
}

TEST(Pattern, StarsStandForAnyBytes) {
  const auto matches = [](std::string_view pattern, std::string_view text) {
    return Pattern::wildcard(pattern).matches(text);
  };
  EXPECT_TRUE(matches("files/*", "files/"));
  EXPECT_TRUE(matches("files/*", "files/a/b"));
  EXPECT_FALSE(matches("files/*", "files"));
  EXPECT_FALSE(matches("files/*", "xfiles/a"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*", std::string_view("\0/\xff", 3)));
  EXPECT_TRUE(matches("*.php", "/a.php"));
  EXPECT_FALSE(matches("*.php", "/a.php5"));
  EXPECT_TRUE(matches("a*b*c", "abc"));
  EXPECT_TRUE(matches("a*b*c", "a-b-b-c"));
  EXPECT_FALSE(matches("a*b*c", "ac"));
  // The two ends do not share bytes.
  EXPECT_FALSE(matches("aba*aba", "ababa"));
  EXPECT_TRUE(matches("aba*aba", "abaaba"));
}

TEST(Pattern, LikeTryingEverything) {
  std::mt19937_64 random(4);
  const auto draw = [&](std::string_view alphabet, std::size_t most) {
    std::string out;
    for (auto n = random() % (most + 1); n > 0; --n) out += alphabet[random() % alphabet.size()];
    return out;
  };
  for (int i = 0; i < 300'000; ++i) {
    const std::string pattern = draw("ab*", 7) + "*" + draw("ab*", 3);
    const std::string text = draw("ab", 9);
    ASSERT_EQ(Pattern::wildcard(pattern).matches(text), slowly(pattern, text)) << pattern << " " << text;
  }
  for (int i = 0; i < 300'000; ++i) {
    std::string pattern = draw("a/-?", 9);
    if (pattern.find("??") != std::string::npos) continue;
    std::string braced;
    for (const char c : pattern) braced += c == '?' ? std::string("{x}") : std::string(1, c);
    const std::string text = draw("a/-", 9);
    ASSERT_EQ(Pattern::path_template(braced)->matches(text), slowly_template(pattern, text))
        << pattern << " " << text;
  }
}

TEST(Pattern, TemplatesNameParts) {
  const Pattern verify = *Pattern::path_template("/verify/{code}");
  EXPECT_TRUE(verify.matches("/verify/123"));
  EXPECT_FALSE(verify.matches("/verify/"));
  EXPECT_FALSE(verify.matches("/verify/1/2"));
  EXPECT_FALSE(verify.matches("/verify"));
  EXPECT_FALSE(Pattern::path_template("/a/{b").ok());
  EXPECT_FALSE(Pattern::path_template("/a/b}").ok());
  EXPECT_FALSE(Pattern::path_template("/a/{}").ok());
  EXPECT_FALSE(Pattern::path_template("/a/{b}{c}").ok());
  EXPECT_FALSE(Pattern::path_template("/a/{b/c}").ok());
  EXPECT_FALSE(Pattern::path_template("/a/{{b}}").ok());
  EXPECT_TRUE(Pattern::path_template("/plain")->matches("/plain"));
}

TEST(Pattern, TakesTimeInProportionToTheLength) {
  std::string stars;
  for (int i = 0; i < 2'000; ++i) stars += "*a";
  const Pattern pattern = Pattern::wildcard(stars + "b");
  // So long that comparing at every place, let alone trying every way to share it out, would not end.
  const std::string text(20'000'000, 'a');
  EXPECT_FALSE(pattern.matches(text));
  EXPECT_FALSE(Pattern::wildcard("*" + std::string(1'000'000, 'a') + "b*").matches(text));
}

}  // namespace
}  // namespace weir
