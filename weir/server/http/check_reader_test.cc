#include "weir/server/http/check_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weir::server {
namespace {

using ::testing::HasSubstr;

class CheckReaderTest : public ::testing::Test {
 protected:
  Result<bool> read(std::string_view body) {
    // As in a connection's buffer: something else stands behind it.
    text_ = std::string(body) + std::string(CheckReader::kPadding, '}');
    return reader_.read(std::string_view(text_).substr(0, body.size()), queue_);
  }
  std::string error(std::string_view body) {
    const auto result = read(body);
    EXPECT_TRUE(queue_.requests.empty() && queue_.dimensions.empty()) << body;
    if (!result) return result.error().message;
    queue_.clear();
    return "";
  }

  std::string text_;
  RequestQueue queue_;
  CheckReader reader_{3, 4};
};

TEST_F(CheckReaderTest, ReadsARequest) {
  EXPECT_FALSE(
      read(R"( {"cost" : 9223372036854775807, "peek":true,"dimensions":{"a":"x","b":""}} )").value());
  ASSERT_EQ(queue_.requests.size(), 1U);
  EXPECT_EQ(queue_.requests[0].cost, 9223372036854775807U);
  EXPECT_TRUE(queue_.requests[0].peek);
  ASSERT_EQ(queue_.dimensions.size(), 2U);
  EXPECT_EQ(queue_.dimensions[0].name, "a");
  EXPECT_EQ(queue_.dimensions[0].value, "x");
}

TEST_F(CheckReaderTest, ReadsAnArray) {
  EXPECT_TRUE(read(R"([{"dimensions":{"a":"x"}},{"dimensions":{},"cost":0}])").value());
  ASSERT_EQ(queue_.requests.size(), 2U);
  EXPECT_EQ(queue_.requests[1].first, 1U);
  EXPECT_EQ(queue_.requests[1].count, 0U);
  EXPECT_EQ(queue_.requests[1].cost, 0U);
  EXPECT_TRUE(read("[]").value());
}

TEST_F(CheckReaderTest, AnyByteThatCanBeEscapedIsLegal) {
  ASSERT_TRUE(read(R"({"dimensions":{"a":"admin\u0000x","\u00e9\n":"\ud83d\ude00"}})"));
  EXPECT_EQ(queue_.dimensions[0].value, std::string_view("admin\0x", 7));
  EXPECT_EQ(queue_.dimensions[1].name, "\xC3\xA9\n");
  EXPECT_EQ(queue_.dimensions[1].value, "\xF0\x9F\x98\x80");
}

TEST_F(CheckReaderTest, KeepsWhatWasReadBefore) {
  ASSERT_TRUE(read(R"({"dimensions":{"a":"x\n"}})"));
  ASSERT_FALSE(read(R"([{"dimensions":{"a":"y"}},{"dimensions":{"a":"z"},"cost":-1}])"));
  ASSERT_TRUE(read(R"({"dimensions":{"a":"w\n"}})"));
  ASSERT_EQ(queue_.dimensions.size(), 2U);
  EXPECT_EQ(queue_.dimensions[0].value, "x\n");
  EXPECT_EQ(queue_.dimensions[1].value, "w\n");
}

TEST_F(CheckReaderTest, SaysWhatIsWrongAndWhere) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "the body is empty"},
      {"  \n", "the body is empty"},
      {"null", "$: found null"},
      {"7", "$: found a number"},
      {"\"x\"", "$: found a string"},
      {R"({"dimensions":{"a":"x"}} x)", "something follows the JSON, at byte 25"},
      {R"({"dimensions":{"a":"}\""}}x)", "something follows the JSON, at byte 26"},
      {R"({"dimensions":{"a":"x"})", "it does not end with the }"},
      {R"({"dimensions":{"a":"x"}} {"b":1})", "$: something stands behind the end"},
      {R"({"dimensions":{"a":"x"}}{})", "$: something stands behind the end"},
      {R"({"dimension":{"a":"x"}})", R"(unknown field "dimension"; did you mean "dimensions"?)"},
      {R"({"dimensions":{"a":"x"},"time":5})", R"(unknown field "time")"},
      {R"({"dimensions":{},"dimensions":{}})", R"("dimensions" is given twice)"},
      {R"({"dimensions":{},"cost":1,"cost":1})", R"("cost" is given twice)"},
      {R"({"dimensions":{"a":"x","a":"x"}})", R"($.dimensions: "a" is given twice)"},
      {R"({"dimensions":{"a":1}})", "$.dimensions.a: found a number"},
      {R"({"dimensions":{"a":null}})", "$.dimensions.a: found null"},
      {R"({"dimensions":[]})", "$.dimensions: found an array"},
      {R"({"dimensions":{"a":{}}})", "$.dimensions.a: found an object"},
      {R"({"dimensions":{"a":"1","b":"1","c":"1","d":"1","e":"1"}})", "$.dimensions: more than 4 dimensions"},
      {"{}", R"("dimensions" is missing)"},
      {R"({"dimensions":{},"cost":-1})", "$.cost: found -1"},
      {R"({"dimensions":{},"cost":1.5})", "$.cost: found 1.5"},
      {R"({"dimensions":{},"cost":1e3})", "$.cost: found 1e3"},
      {R"({"dimensions":{},"cost":01})", "$.cost: found 01"},
      {R"({"dimensions":{},"cost":9223372036854775808})", "$.cost: found 9223372036854775808"},
      {R"({"dimensions":{},"cost":99999999999999999999})", "$.cost: found 99999999999999999999"},
      {R"({"dimensions":{},"cost":"1"})", "$.cost: found a string"},
      {R"({"dimensions":{},"peek":1})", "$.peek: found a number"},
      {R"({"dimensions":{},"peek":truex})", "$.peek: found truex"},
      {R"({"dimensions":{},"peek":tru})", "$.peek: found tru, which is no value of JSON"},
      {R"([{"dimensions":{}},5])", "$[1]: found a number"},
      {R"([{"dimensions":{}},{"dimensions":{"a":5}}])", "$[1].dimensions.a: found a number"},
      {R"([{"dimensions":{}},[]])", "$[1]: found an array"},
      {R"([{"dimensions":{}},{"dimensions":{}},{"dimensions":{}},{"dimensions":{}}])",
       "$: more than 3 requests in one array"},
      {R"([{"dimensions":{}},])", "not JSON"},
      {R"({"dimensions":{"a":"x"})", "not JSON"},
      {R"({"dimensions":{"a":"x"},})", "not JSON"},
      {R"({"dimensions":{"a" "x"}})", "not JSON"},
      {R"({"dimensions":{"a":"x" "b":"y"}})", "not JSON"},
      {R"({dimensions:{}})", "not JSON"},
      {R"({"dimensions":{"a":"x}})", "the string from byte 19 on does not end"},
      {R"({"dimensions":{"a":"\x"}})", "an escape that JSON does not have"},
      {R"({"dimensions":{"a":"\ud800"}})", "half of a surrogate pair, at byte 20"},
      {R"({"dimensions":{"a":"\\\ud83d\ude00\ud800x"}})", "half of a surrogate pair, at byte 34"},
      {"{\"dimensions\":{\"a\":\"x\ny\"}}", "a control character stands in a string at byte 21"},
      {"{\"dimensions\":{\"a\":\"\xff\"}}", "the body is not UTF-8 at byte 20"},
      {"{\"dimensions\":{\"a\":\"\xc0\xaf\"}}", "the body is not UTF-8 at byte 20"},
      {std::string(10000, '['), ""},
  };
  for (const auto& [body, expected] : cases) {
    const std::string said = error(body);
    EXPECT_FALSE(said.empty()) << body.substr(0, 100);
    EXPECT_THAT(said, HasSubstr(expected)) << body.substr(0, 100);
  }
}

}  // namespace
}  // namespace weir::server
