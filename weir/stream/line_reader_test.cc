#include "weir/stream/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Found = LineReader::Found;

/// Every line of `text`; one that is too long as "!" and its head.
std::vector<std::string> lines_of(std::string_view text, std::size_t block, std::size_t max_line = 1000) {
  MemorySource source(text, block);
  LineReader reader(block, max_line);
  reader.start(source);
  std::vector<std::string> lines;
  std::string_view line;
  for (Found found = reader.next(line); found != Found::kEnd; found = reader.next(line)) {
    lines.push_back((found == Found::kTooLong ? "!" : "") + std::string(line));
  }
  EXPECT_TRUE(reader.status().ok());
  return lines;
}

struct EndingCase {
  std::string_view text;
  std::vector<std::string> lines;
};

TEST(LineReader, CutsLinesWhateverEndsThem) {
  const std::vector<EndingCase> cases = {
      {"", {}},
      {"a", {"a"}},
      {"a\n", {"a"}},
      {"a\nb", {"a", "b"}},
      {"a\r\nb\r\n", {"a", "b"}},
      {"a\r\nb\nc\r\n", {"a", "b", "c"}},
      {"a\r\nb\r", {"a", "b"}},
      {"a\r\r\nb", {"a\r", "b"}},
      {"a\rb\n", {"a\rb"}},
      {"\n", {""}},
      {"\n\na\n", {"", "", "a"}},
      {"\r\n", {""}},
      {{"a\0b\na\n", 6}, {std::string("a\0b", 3), "a"}},
      {"\x99\xFF\n\xC3\xA9\n", {"\x99\xFF", "\xC3\xA9"}},
      {"\xEF\xBB\xBF"
       "a\n\xEF\xBB\xBF"
       "b\n",
       {"a",
        "\xEF\xBB\xBF"
        "b"}},
      {"\xEF\xBB\xBF", {""}},
      {"\xEF\xBB\n", {"\xEF\xBB"}},
  };
  for (const EndingCase& each : cases) {
    for (const std::size_t block : {1, 2, 3, 7, 4096}) {
      EXPECT_EQ(lines_of(each.text, block), each.lines) << "block " << block << ", text " << each.text;
    }
  }
}

TEST(LineReader, SkipsWhatIsTooLongAndGoesOn) {
  for (const std::size_t block : {1, 2, 5, 64}) {
    EXPECT_THAT(lines_of("12345\n123456\n1\n", block, 5), ElementsAre("12345", "!12345", "1")) << block;
    EXPECT_THAT(lines_of("12345\r\n123456\r\n1", block, 5), ElementsAre("12345", "!12345", "1")) << block;
    EXPECT_THAT(lines_of("1234567890123\n1\n", block, 5), ElementsAre("!12345", "1")) << block;
    EXPECT_THAT(lines_of("1\n1234567890123", block, 5), ElementsAre("1", "!12345")) << block;
    EXPECT_THAT(lines_of("1234567\n", block, 5), ElementsAre("!12345")) << block;
  }
}

/// Gives the same byte for ever, and counts.
class EndlessSource final : public ByteSource {
 public:
  Result<ReadOutcome> read(std::span<char> into) override {
    largest_ = std::max(largest_, into.size());
    if (given_ > kEnough) return ReadOutcome{};
    std::fill(into.begin(), into.end(), 'x');
    given_ += into.size();
    return ReadOutcome{.count = into.size()};
  }
  std::uint64_t consumed() const override { return given_; }
  bool rewind() override { return false; }
  std::size_t largest_read() const { return largest_; }

  static constexpr std::size_t kEnough = std::size_t{64} << 20U;

 private:
  std::uint64_t given_ = 0;
  std::size_t largest_ = 0;
};

TEST(LineReader, DoesNotHoldALineThatIsTooLong) {
  EndlessSource source;
  LineReader reader(4096, 10'000);
  reader.start(source);
  std::string_view line;
  EXPECT_EQ(reader.next(line), Found::kTooLong);
  EXPECT_LE(line.size(), 256);
  EXPECT_EQ(reader.next(line), Found::kEnd);
  EXPECT_GT(source.consumed(), EndlessSource::kEnough);
  EXPECT_LE(source.largest_read(), 32'768) << "the buffer must stay near max_line";
}

TEST(LineReader, HoldsALineOfTenMegabytes) {
  const std::string large(std::size_t{10} << 20U, 'x');
  const std::vector<std::string> lines = lines_of(large + "\nshort\n", 65'536, std::size_t{16} << 20U);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0], large);
  EXPECT_EQ(lines[1], "short");
}

TEST(LineReader, ExtendsARecordAndTakesItBack) {
  for (const std::size_t block : {1, 3, 100}) {
    MemorySource source(
        "\xEF\xBB\xBF"
        "a\r\nb\nc\nd",
        block);
    LineReader reader(block, 100);
    reader.start(source);
    std::string_view record;
    ASSERT_EQ(reader.next(record), Found::kLine);
    ASSERT_TRUE(reader.extend(record));
    EXPECT_EQ(record, "a\r\nb");
    ASSERT_TRUE(reader.extend(record));
    EXPECT_EQ(record, "a\r\nb\nc");
    EXPECT_EQ(reader.line_number(), 1);
    EXPECT_EQ(reader.shrink(), "a");
    ASSERT_EQ(reader.next(record), Found::kLine);
    EXPECT_EQ(record, "b");
    EXPECT_EQ(reader.line_number(), 2);
    ASSERT_TRUE(reader.extend(record));
    ASSERT_TRUE(reader.extend(record));
    EXPECT_EQ(record, "b\nc\nd");
    EXPECT_FALSE(reader.extend(record)) << "the source has ended";
    EXPECT_EQ(reader.shrink(), "b");
    ASSERT_EQ(reader.next(record), Found::kLine);
    EXPECT_EQ(record, "c");
    EXPECT_EQ(reader.line_number(), 3);
  }
}

TEST(LineReader, DoesNotExtendBeyondTheLongestLine) {
  MemorySource source("aaa\nbbb\nccc\n");
  LineReader reader(4, 7);
  reader.start(source);
  std::string_view record;
  ASSERT_EQ(reader.next(record), Found::kLine);
  ASSERT_TRUE(reader.extend(record));
  EXPECT_EQ(record, "aaa\nbbb");
  EXPECT_FALSE(reader.extend(record));
  EXPECT_EQ(reader.shrink(), "aaa");
  ASSERT_EQ(reader.next(record), Found::kLine);
  EXPECT_EQ(record, "bbb");
}

TEST(LineReader, PeeksWithoutTakingAnything) {
  MemorySource source("\n \na\nb\nc", 5);
  LineReader reader(5, 100);
  reader.start(source);
  bool more = false;
  EXPECT_THAT(reader.peek(10, more), ElementsAre("a"))
      << "only what is there after the first line that is not blank";
  EXPECT_TRUE(more);
  std::string_view line;
  ASSERT_EQ(reader.next(line), Found::kLine);
  EXPECT_EQ(line, "");
  EXPECT_EQ(reader.line_number(), 1);
}

TEST(LineReader, PeeksAtALineWithoutAnEnd) {
  for (const std::size_t block : {1, 2, 100}) {
    MemorySource source("\n \nabc", block);
    LineReader reader(block, 100);
    reader.start(source);
    bool more = false;
    EXPECT_THAT(reader.peek(10, more), ElementsAre("abc"));
    EXPECT_TRUE(more);
  }
}

TEST(LineReader, PeeksAtNothing) {
  for (const std::string_view text : {"", "\n\n", "  \r\n\t"}) {
    MemorySource source(text, 1);
    LineReader reader(4, 100);
    reader.start(source);
    bool more = true;
    EXPECT_THAT(reader.peek(10, more), IsEmpty());
    EXPECT_FALSE(more);
  }
}

/// Gives some bytes and then an error, or is told to stop.
class BrokenSource final : public ByteSource {
 public:
  explicit BrokenSource(bool stopped) : stopped_(stopped) {}
  Result<ReadOutcome> read(std::span<char> into) override {
    if (given_) return stopped_ ? Result<ReadOutcome>(ReadOutcome{.stopped = true}) : Error{"f: broken"};
    given_ = true;
    const std::string_view text = "whole\nhalf";
    std::copy(text.begin(), text.end(), into.begin());
    return ReadOutcome{.count = text.size()};
  }
  std::uint64_t consumed() const override { return 0; }
  bool rewind() override { return false; }

 private:
  bool stopped_;
  bool given_ = false;
};

TEST(LineReader, DropsHalfALineWhenTheBytesBreakOff) {
  for (const bool stopped : {false, true}) {
    BrokenSource source(stopped);
    LineReader reader(64, 100);
    reader.start(source);
    std::string_view line;
    ASSERT_EQ(reader.next(line), Found::kLine);
    EXPECT_EQ(line, "whole");
    EXPECT_EQ(reader.next(line), Found::kEnd);
    EXPECT_EQ(reader.next(line), Found::kEnd);
    EXPECT_EQ(reader.stopped(), stopped);
    EXPECT_EQ(reader.status().ok(), stopped);
  }
}

RC_GTEST_PROP(LineReader, CutsTheSameLinesWhateverTheBlock, ()) {
  const auto letters = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n', '\r', '\0', '\xEF'));
  const auto block = *rc::gen::inRange<std::size_t>(1, 65);
  const auto max_line = *rc::gen::inRange<std::size_t>(1, 12);
  RC_ASSERT(lines_of(letters, block, max_line) == lines_of(letters, 4096, max_line));
}

TEST(IsBlank, KnowsWhiteSpace) {
  for (const std::string_view blank : {"", " ", "\t \v\f", "\r", " \r"})
    EXPECT_TRUE(is_blank(blank)) << blank;
  for (const std::string_view text : {"a", " a", "\x01", "\xA0"}) EXPECT_FALSE(is_blank(text)) << text;
  EXPECT_FALSE(is_blank(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace weir
