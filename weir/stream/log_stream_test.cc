#include "weir/stream/log_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LogStream, ReadsFilesOneAfterAnother) {
  const FileForTest first("a\nb");
  const FileForTest empty("");
  const FileForTest second("c\r\n\nd\n");
  const Rows read =
      read_rows(LogStream::open({first.path(), empty.path(), second.path()}, {.format = "lines"}), {});
  EXPECT_THAT(read.lines(), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(read.counts.records, 4);
  EXPECT_EQ(read.counts.bytes, 9);
  EXPECT_EQ(read.counts.total_bytes, 9);
}

TEST(LogStream, CountsEveryRecordOnceWhateverEndsIt) {
  for (const std::string_view text :
       {"a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\r\nb\nc", "\na\n\n \r\nb\n\t\nc\n\n"}) {
    const Rows read = read_text(text, {.format = "lines"}, {"line"});
    EXPECT_THAT(read.lines(), ElementsAre("a", "b", "c")) << text;
    EXPECT_EQ(read.counts.records, 3);
    EXPECT_EQ(read.counts.malformed, 0);
  }
}

TEST(LogStream, KeepsEveryByte) {
  const std::string_view text("a\0b\na\n\x99\xFF\n", 9);
  const Rows read = read_text(text, {.format = "lines"}, {"line"});
  EXPECT_THAT(read.lines(), ElementsAre(std::string("a\0b", 3), "a", "\x99\xFF"));
}

TEST(LogStream, SkipsRecordsThatAreTooLong) {
  const std::string text = "a\n" + std::string(std::size_t{10} << 20U, 'x') + "\nb\n";
  const Rows read = read_text(text, {.format = "lines", .max_line = 1'000});
  EXPECT_THAT(read.lines(), ElementsAre("a", "b"));
  EXPECT_EQ(read.counts.records, 3);
  EXPECT_EQ(read.counts.malformed, 1);
  EXPECT_EQ(read.counts.too_long, 1);
  EXPECT_EQ(read.counts.malformed_where, "memory:2");
  EXPECT_LE(read.counts.malformed_example.size(), 256);
  EXPECT_EQ(read_text(text, {.format = "lines"}).rows.size(), 3);
}

TEST(LogStream, ShowsTheFirstRecordThatDoesNotParse) {
  const FileForTest good("{\"a\":1}\n");
  const FileForTest bad("\n{\"a\":1}\n\n{broken\n[worse]\n");
  const Rows read = read_rows(LogStream::open({good.path(), bad.path()}, {.format = "json"}), {"a"});
  EXPECT_EQ(read.counts.records, 4);
  EXPECT_EQ(read.counts.malformed, 2);
  EXPECT_EQ(read.counts.malformed_where, bad.path() + ":4");
  EXPECT_EQ(read.counts.malformed_example, "{broken");
}

TEST(LogStream, EmptyInputIsNoError) {
  for (const std::string format :
       {"auto", "lines", "combined", "common", "json", "csv", "tsv", "syslog", "regex:(?P<a>x)"}) {
    for (const std::string_view text : {"", "\n", " \r\n\t\n"}) {
      const Rows read = read_text(text, {.format = format});
      EXPECT_EQ(read.counts.records, 0) << format;
      EXPECT_EQ(read.problem, "");
    }
  }
}

TEST(LogStream, DamageBeforeTheFirstLineIsAnErrorInEveryFormat) {
  for (const auto* format : {"auto", "lines", "combined", "csv"}) {
    Result<LogStream> stream = LogStream::open_memory("\x1f\x8b\x08garbage", {.format = format});
    if (!stream) continue;  // auto and csv look at the first records at once
    Record record;
    EXPECT_FALSE(stream->next(record)) << format;
    EXPECT_FALSE(stream->status()) << format;
  }
}

TEST(LogStream, OnlyBadLinesAreAllCounted) {
  const Rows read = read_text("x\ny\n", {.format = "combined"});
  EXPECT_EQ(read.counts.records, 2);
  EXPECT_EQ(read.counts.malformed, 2);
}

TEST(LogStream, RefusesFormatsThatItDoesNotKnow) {
  const Result<LogStream> stream = LogStream::open_memory("x", {.format = "combind"});
  ASSERT_FALSE(stream.ok());
  EXPECT_THAT(stream.error().message, HasSubstr("unknown format \"combind\"; did you mean \"combined\"?"));
  EXPECT_THAT(LogStream::open_memory("x", {.format = ""}).error().message,
              HasSubstr("There are auto, lines, combined"));
}

TEST(LogStream, GivesTheSameFieldForTheSameName) {
  Result<LogStream> stream = LogStream::open_memory("{\"a\":1,\"b\":2}\n", {.format = "json"});
  ASSERT_TRUE(stream.ok());
  const FieldId a = *stream->want("a");
  const FieldId line = *stream->want("line");
  const FieldId b = *stream->want("b");
  EXPECT_EQ(*stream->want("a"), a);
  EXPECT_EQ(*stream->want("line"), line);
  Record record;
  ASSERT_TRUE(stream->next(record));
  EXPECT_EQ(record.fields.size(), 3);
  EXPECT_EQ(record.field(a), "1");
  EXPECT_EQ(record.field(b), "2");
  EXPECT_EQ(record.field(line), record.line);
}

TEST(LogStream, ReadsTheSameFilesAgain) {
  const FileForTest file("a\n");
  const Rows read = read_rows(LogStream::open({file.path(), file.path()}, {.format = "lines"}), {});
  EXPECT_THAT(read.lines(), ElementsAre("a", "a"));
}

/// Pieces of every format, good and bad, so that random texts of them are half understood.
std::string arbitrary_log() {
  const std::vector<std::string> pieces = {
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"",
      "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /\\x22 HTTP/1.1\" 200 5 \"-\" \"x",
      "{\"a\":\"\\n\",\"ts\":12}",
      "{\"a\":",
      "a,b",
      "\"1\",\"2",
      "Mar 27 13:06:56 box sshd[1]: message repeated 3 times: [ x]",
      "Jan  1 00:00:00 box a: b",
      "\n",
      "\r\n",
      " ",
      "\"",
      "\xFF",
      std::string(70, 'x'),
  };
  const auto chosen = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces));
  std::string text;
  for (const std::string& piece : chosen) text += piece + (piece.size() > 60 ? "\n" : "");
  return text;
}

RC_GTEST_PROP(LogStream, ReadsTheSameWhateverTheBlock, ()) {
  const std::string text = arbitrary_log();
  const auto block = *rc::gen::inRange<std::size_t>(1, 65);
  const auto max_line = *rc::gen::element<std::size_t>(20, 80, 1'000);
  const auto format =
      *rc::gen::element<std::string>("lines", "combined", "common", "json", "syslog", "regex:(?P<a>[0-9]+)");
  const Rows small =
      read_text(text, {.format = format, .max_line = max_line, .now = 0, .block = block}, {"line"});
  const Rows large = read_text(text, {.format = format, .max_line = max_line, .now = 0}, {"line"});
  RC_ASSERT(small.rows == large.rows);
  RC_ASSERT(small.counts.records == large.counts.records);
  RC_ASSERT(small.counts.malformed == large.counts.malformed);
  RC_ASSERT(small.counts.too_long == large.counts.too_long);
  RC_ASSERT(small.counts.malformed_where == large.counts.malformed_where);
  RC_ASSERT(small.counts.malformed_example == large.counts.malformed_example);
}

RC_GTEST_PROP(LogStream, ReadsTheSameTablesWhateverTheBlock, ()) {
  const std::string text =
      "a,b\n" + *rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', '1'));
  const auto block = *rc::gen::inRange<std::size_t>(1, 65);
  const auto max_line = *rc::gen::element<std::size_t>(5, 20, 1'000);
  const Rows small = read_text(text, {.format = "csv", .max_line = max_line, .block = block}, {"a", "b"});
  const Rows large = read_text(text, {.format = "csv", .max_line = max_line}, {"a", "b"});
  RC_ASSERT(small.rows == large.rows);
  RC_ASSERT(small.counts.malformed == large.counts.malformed);
}

}  // namespace
}  // namespace weir
