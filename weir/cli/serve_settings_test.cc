#include "weir/cli/serve_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir {
namespace {

using ::testing::HasSubstr;

SettingValues values(std::initializer_list<std::pair<std::string_view, std::string_view>> settings) {
  SettingValues values{{"policy", {"--policy", "p.yaml"}}};
  for (const auto& [name, text] : settings) {
    values[std::string(name)] = {"--" + std::string(name), std::string(text)};
  }
  return values;
}

std::string problem(std::initializer_list<std::pair<std::string_view, std::string_view>> settings) {
  const auto options = serve_options(values(settings));
  return options ? "" : options.error().message;
}

TEST(ServeSettings, EachHasAVariable) {
  EXPECT_EQ(environment_name("max-keys"), "WEIR_MAX_KEYS");
  EXPECT_EQ(environment_name("http"), "WEIR_HTTP");
}

TEST(ServeSettings, AreReadFromAFile) {
  const auto read =
      parse_settings("# all\n\nhttp = [::1]:0\n max-keys=5 # five\r\npolicy = \"a # b.yaml\"", "weir.conf");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->at("http").text, "[::1]:0");
  EXPECT_EQ(read->at("max-keys").text, "5");
  EXPECT_EQ(read->at("policy").text, "a # b.yaml");
  EXPECT_EQ(read->at("max-keys").where, "weir.conf:4: max-keys");
}

TEST(ServeSettings, PassOverAMarkOfTheEncoding) {
  EXPECT_EQ(parse_settings("\xEF\xBB\xBFhttp = x", "weir.conf").value().at("http").text, "x");
}

TEST(ServeSettings, TellOfVariablesThatAreNone) {
  const char* const environment[] = {"WEIR=build/weir", "WEIR_MAX_KEYS=5",  "WEIR_MAX_KESY=5",
                                     "WEIR_CONFIG=c",   "WEIRD_MAX_KEYS=5", nullptr};
  const auto told = unknown_variables(environment);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0],
            "the environment has WEIR_MAX_KESY, which is no setting; did you mean \"WEIR_MAX_KEYS\"?");
}

TEST(ServeSettings, SayWhereAFileIsWrong) {
  const auto error = [](std::string_view text) { return parse_settings(text, "weir.conf").error().message; };
  EXPECT_EQ(error("http = x\nhtp = y"), "weir.conf:2: unknown setting \"htp\"; did you mean \"http\"?");
  EXPECT_EQ(error("drain 5s"), "weir.conf:1: \"drain 5s\" is no setting; write name = value");
  EXPECT_EQ(error("drain = 5s\ndrain = 6s"), "weir.conf:2: drain is set twice");
  EXPECT_EQ(error("policy = \"x"), "weir.conf:1: policy: the quote does not end");
}

TEST(ServeSettings, BecomeOptions) {
  const auto options = serve_options(values({{"http", "[::1]:9000"},
                                             {"threads", "3"},
                                             {"max-memory", "256MB"},
                                             {"max-head", "8KiB"},
                                             {"drain", "1m"},
                                             {"headers", "legacy"},
                                             {"max-fields", "7"}}));
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->doors.at(server::DoorKind::http).address, "::1");
  EXPECT_EQ(options->doors.at(server::DoorKind::http).port, 9000);
  EXPECT_EQ(options->threads, 3U);
  EXPECT_EQ(options->max_memory, std::size_t{256} << 20U);
  EXPECT_EQ(options->http.max_head, std::size_t{8} << 10U);
  EXPECT_EQ(options->drain, kMinute);
  EXPECT_EQ(options->http.headers, server::LimitHeaders::legacy);
  EXPECT_EQ(options->http.max_fields, 7U);
  EXPECT_EQ(serve_options(values({}))->doors.at(server::DoorKind::http).port, 8080);
  EXPECT_NE(problem({{"http", "off"}}), "");
}

TEST(ServeSettings, ListenOnlyWhereStrangersCanNotReach) {
  for (const std::string_view good : {"127.0.0.1:1", "127.9.9.9:65535", "[::1]:0", "localhost:80"}) {
    EXPECT_EQ(problem({{"http", good}}), "") << good;
  }
  for (const std::string_view open :
       {"0.0.0.0:80", "[::]:80", "192.0.2.1:80", "[2001:db8::1]:80", "128.0.0.1:80"}) {
    EXPECT_THAT(problem({{"http", open}}), HasSubstr("--insecure")) << open;
    EXPECT_EQ(problem({{"http", open}, {"insecure", "true"}}), "") << open;
    EXPECT_NE(problem({{"http", open}, {"insecure", "false"}}), "") << open;
  }
  for (const std::string_view bad :
       {"", ":80", "80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80",
        "[127.0.0.1]:80", "[::1", "example.org:80", "127.0.0.1:80:80", "127.1:80", "[::1%lo]:80"}) {
    EXPECT_THAT(problem({{"http", bad}}), HasSubstr("not an address and a port")) << bad;
  }
}

TEST(ServeSettings, AreRefusedWithTheirPlace) {
  EXPECT_THAT(serve_options({}).error().message, HasSubstr("no policy to serve"));
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"threads", "0"},       {"threads", "two"},  {"threads", "1025"},  {"max-keys", "0"},
      {"max-keys", "1e6"},    {"max-memory", "0"}, {"max-memory", "1T"}, {"max-memory", "1X"},
      {"max-head", "1"},      {"max-body", "5G"},  {"drain", "0s"},      {"drain", "10"},
      {"drain", "-1s"},       {"headers", "all"},  {"insecure", "yes"},  {"max-pending", "x"},
      {"idle-timeout", "1y"}, {"max-batch", "-5"}, {"max-fields", "1.5"}};
  for (const auto& [name, text] : cases) {
    EXPECT_THAT(problem({{name, text}}), HasSubstr("--" + std::string(name))) << text;
  }
}

}  // namespace
}  // namespace weir
