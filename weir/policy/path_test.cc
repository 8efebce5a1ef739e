#include "weir/policy/path.h"

#include <random>

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string normal(std::string_view path) {
  std::string out;
  append_path(out, path);
  return out;
}

TEST(Path, OneFormForManySpellings) {
  for (const char* path :
       {"/login",        "/login/",    "/login//",         "//login",    "/./login",        "/login/.",
        "/x/../login",   "/../login",  "/a/b/../../login", "/login?x=1", "/login#top",      "/login/?",
        "/log%69n",      "/%6cogin",   "/login%2F",        "%2Flogin",   "/x%2f..%2flogin", "/x/%2e%2e/login",
        "/x/.%2E/login", "/%2e/login", "/login/%2e"}) {
    EXPECT_EQ(normal(path), path[0] == '/' ? "/login" : path) << path;
  }
}

TEST(Path, Edges) {
  EXPECT_EQ(normal("/"), "/");
  EXPECT_EQ(normal("//"), "/");
  EXPECT_EQ(normal("/?a"), "/");
  EXPECT_EQ(normal("/.."), "/");
  EXPECT_EQ(normal("/../.."), "/");
  EXPECT_EQ(normal("/a/.."), "/");
  EXPECT_EQ(normal("/a/../"), "/");
  EXPECT_EQ(normal("/..."), "/...");
  EXPECT_EQ(normal("/.a/..b"), "/.a/..b");
  EXPECT_EQ(normal("/Login"), "/Login");
  EXPECT_EQ(normal(""), "");
  EXPECT_EQ(normal("chat.send?x"), "chat.send?x");
  EXPECT_EQ(normal("/a;b=c/d"), "/a;b=c/d");
}

TEST(Path, DecodesOnce) {
  EXPECT_EQ(normal("/a%2541"), "/a%41");
  EXPECT_EQ(normal("/%252e%252e/x"), "/%2e%2e/x");
  EXPECT_EQ(normal("/a%3Fb"), "/a?b");
  EXPECT_EQ(normal("/a%23b"), "/a#b");
  EXPECT_EQ(normal("/a%20b+c"), "/a b+c");
  EXPECT_EQ(normal("/%zz/%4/%"), "/%zz/%4/%");
  EXPECT_EQ(normal("/%e2%82%ac"), "/€");
  EXPECT_EQ(normal("/a%00b"), std::string("/a\0b", 4));
  EXPECT_EQ(normal("/%ff"), "/\xff");
}

TEST(Path, AppendsBehindWhatIsThere) {
  std::string out = "/x/..";
  append_path(out, "/../a/");
  EXPECT_EQ(out, "/x/../a");
}

TEST(Path, WhatIsNormalStaysSo) {
  std::mt19937_64 random(2);
  constexpr std::string_view alphabet = "//..ab%2eE5F?#\0";
  for (int i = 0; i < 200'000; ++i) {
    std::string path = "/";
    for (auto n = random() % 14; n > 0; --n) path += alphabet[random() % alphabet.size()];
    const std::string once = normal(path);
    ASSERT_TRUE(once.starts_with('/')) << path;
    ASSERT_EQ(once.find("//"), std::string::npos) << path;
    ASSERT_TRUE(once == "/" || !once.ends_with('/')) << path;
    ASSERT_EQ((once + "/").find("/../"), std::string::npos) << path;
    ASSERT_EQ((once + "/").find("/./"), std::string::npos) << path;
    // What was escaped twice, or is an escaped ? or #, would be read again.
    if (once.find_first_of("%?#") == std::string::npos) {
      ASSERT_EQ(normal(once), once) << path;
    }
  }
}

}  // namespace
}  // namespace weir
