#include "weir/stream/detect.h"

#include <gtest/gtest.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

/// What auto takes `text` for. All of it must still be read.
std::string detected(std::string_view text, std::size_t block = 4096) {
  const Rows read = read_text(text, {.format = "auto", .block = block}, {"line"});
  const Rows told = read_text(text, {.format = read.format}, {"line"});
  EXPECT_EQ(read.lines(), told.lines());
  EXPECT_EQ(read.counts.records, told.counts.records);
  return read.format;
}

constexpr std::string_view kCombined =
    "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"\n";
constexpr std::string_view kCommon = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5\n";

TEST(Detect, KnowsEveryFormat) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string(kCombined), "combined"},
      {std::string(kCommon), "common"},
      {"{\"a\":1}\n{\"a\":2}\n", "json"},
      {"  {\"a\":1}\n", "json"},
      {"a,b\n1,2\n", "csv"},
      {"ip,status\n", "csv"},
      {"\"ip\",\"user agent\"\n192.0.2.1,\"a, b\"\n", "csv"},
      {"\xEF\xBB\xBFip,status\n192.0.2.1,200\n", "csv"},
      {"timestamp,value\n2014-04-01 00:00:00,20.0\n", "csv"},
      {"a,b\n\"two\nlines\",2\n", "csv"},
      {"a\tb\n1\t2\n", "tsv"},
      {"Mar 27 13:06:56 box sshd[1291]: Server listening\n", "syslog"},
      {"<34>1 2003-10-11T22:14:15.003Z box su - ID47 - x\n", "syslog"},
      {"2023-10-11T22:14:15.003Z box sshd[1]: x\n", "syslog"},
      {"just text\n", "lines"},
      {"192.0.2.1\n192.0.2.2\n", "lines"},
      {"1,2\n3,4\n", "lines"},
      {"Hello, world\nand, more\n", "lines"},
      {"[1,2]\n[3]\n", "lines"},
      {"", "lines"},
      {"\n \n", "lines"},
  };
  for (const auto& [text, format] : cases) {
    EXPECT_EQ(detected(text), format) << text;
    EXPECT_EQ(detected(text.substr(0, text.find_last_not_of('\n') + 1)), format)
        << "without the last line end: " << text;
    EXPECT_EQ(detected("\n \r\n" + text), text.starts_with("\xEF") ? detected("\n" + text) : format) << text;
  }
}

TEST(Detect, TheMajorityDecides) {
  const std::string bad = "not a record\n";
  EXPECT_EQ(detected(std::string(kCombined) + bad + std::string(kCombined)), "combined");
  EXPECT_EQ(detected(bad + std::string(kCombined) + std::string(kCombined)), "combined");
  EXPECT_EQ(detected(bad + std::string(kCombined)), "lines");
  EXPECT_EQ(detected(bad + bad + std::string(kCombined)), "lines");
}

TEST(Detect, LosesNothingWhateverTheBlock) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += kCombined;
  for (const std::size_t block : {1, 10, 80, 1'000, 100'000})
    EXPECT_EQ(detected(text, block), "combined") << block;
}

TEST(Detect, LooksPastFilesWithoutRecords) {
  const FileForTest empty("");
  const FileForTest blank("\n\n");
  const FileForTest full("{\"a\":1}\n");
  const Rows read = read_rows(LogStream::open({empty.path(), blank.path(), full.path()}, {}), {"a"});
  EXPECT_EQ(read.format, "json");
  EXPECT_EQ(read.rows.size(), 1);
}

TEST(Detect, ALineThatIsTooLongIsText) {
  std::string text(1'000, 'x');
  text += "\nabc\n";
  const Rows read = read_text(text, {.max_line = 10, .block = 8});
  EXPECT_EQ(read.format, "lines");
  EXPECT_EQ(read.counts.too_long, 1);
  EXPECT_EQ(read.lines(), std::vector<std::string>{"abc"});
}

TEST(Detect, WithoutRecordsEveryFieldMayBeAskedFor) {
  const Rows read = read_text("\n", {}, {"ip", "anything"});
  EXPECT_EQ(read.counts.records, 0);
}

}  // namespace
}  // namespace weir
