#include "weir/stream/delimited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;
using Value = std::optional<std::string>;

/// The cells of columns a and b, as "a|b".
std::vector<std::string> cells(std::string_view text, const std::string& format = "csv",
                               std::uint64_t malformed = 0) {
  const Rows read = read_text(text, {.format = format}, {"a", "b"});
  EXPECT_EQ(read.counts.malformed, malformed) << text;
  EXPECT_EQ(read.counts.records, read.rows.size() + malformed);
  std::vector<std::string> all;
  for (const Row& row : read.rows)
    all.push_back(row.fields[0].value_or("(none)") + '|' + row.fields[1].value_or("(none)"));
  return all;
}

std::string open_error(std::string_view text, const std::string& format = "csv") {
  const Result<LogStream> stream = LogStream::open_memory(text, {.format = format});
  return stream.ok() ? "" : stream.error().message;
}

using Cells = std::vector<std::string>;

TEST(Csv, ReadsCells) {
  EXPECT_EQ(cells("a,b\n1,2\n3,4\n"), (Cells{"1|2", "3|4"}));
  EXPECT_EQ(cells("a,b\r\n1,2\r\n3,4"), (Cells{"1|2", "3|4"}));
  EXPECT_EQ(cells("b,x,a\n1,2,3\n"), (Cells{"3|1"}));
  EXPECT_EQ(cells("a,b\n,\n"), (Cells{"|"}));
  EXPECT_EQ(cells("a,b\n 1 , 2\n"), (Cells{" 1 | 2"}));
  EXPECT_EQ(cells("\n\na,b\n\n1,2\n  \n"), (Cells{"1|2"}));
  EXPECT_EQ(cells("\xEF\xBB\xBF"
                  "a, b \n1,2\n"),
            (Cells{"1|2"}))
      << "blanks around names do not count";
  EXPECT_EQ(cells("a,b\n"), Cells{});
  EXPECT_EQ(cells("\"a\",\"b\"\n1,2\n"), (Cells{"1|2"}));
}

TEST(Csv, ReadsQuotes) {
  EXPECT_EQ(cells("a,b\n\"1\",\"2\"\n"), (Cells{"1|2"}));
  EXPECT_EQ(cells("a,b\n\"x,y\",\"\"\n"), (Cells{"x,y|"}));
  EXPECT_EQ(cells("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n"), (Cells{"say \"hi\"|\""}));
  EXPECT_EQ(cells("a,b\n5\" disk,2\n"), (Cells{"5\" disk|2"}));
  EXPECT_EQ(cells("a,b\n\"two\nlines\",2\n3,4\n"), (Cells{"two\nlines|2", "3|4"}));
  EXPECT_EQ(cells("a,b\r\n\"two\r\nlines\",\"\n\n\"\r\n3,4\r\n"), (Cells{"two\r\nlines|\n\n", "3|4"}));
  EXPECT_EQ(cells("a,b\n1,\"no end of line\""), (Cells{"1|no end of line"}));
}

TEST(Csv, CountsRowsThatDoNotFitAsMalformed) {
  EXPECT_EQ(cells("a,b\n1\n1,2\n", "csv", 1), (Cells{"1|2"}));
  EXPECT_EQ(cells("a,b\n1,2,3\n1,2\n", "csv", 1), (Cells{"1|2"}));
  EXPECT_EQ(cells("a,b\n\"1\"x,2\n1,2\n", "csv", 1), (Cells{"1|2"}));
  EXPECT_EQ(cells("a,b\n\"1\" ,2\n1,2\n", "csv", 1), (Cells{"1|2"}));
}

TEST(Csv, GoesOnBehindAQuoteThatNeverCloses) {
  EXPECT_EQ(cells("a,b\n\"1,2\n3,4\n5,6\n", "csv", 1), (Cells{"3|4", "5|6"}));
  EXPECT_EQ(cells("a,b\n1,\"2\n3,4\n5,6", "csv", 1), (Cells{"3|4", "5|6"}));
  // The quote of the fourth line closes that of the second, but what follows shows that it should not.
  EXPECT_EQ(cells("a,b\n1,\"2\n3,4\n5,\"6\"\n7,8\n", "csv", 1), (Cells{"3|4", "5|6", "7|8"}));
  const Rows read = read_text("a,b\n1,2\n\"3,4\n5,6\n", {.format = "csv"}, {"a"});
  EXPECT_EQ(read.counts.malformed_where, "memory:3");
  EXPECT_EQ(read.counts.malformed_example, "\"3,4");
}

TEST(Csv, AnOpenQuoteIsBoundedByTheLongestLine) {
  std::string text = "a,b\n\"1,2\n";
  for (int i = 0; i < 1'000; ++i) text += "3,4\n";
  const Rows read = read_text(text, {.format = "csv", .max_line = 100}, {"a"});
  EXPECT_EQ(read.counts.records, 1'001);
  EXPECT_EQ(read.counts.malformed, 1);
  EXPECT_EQ(read.rows.size(), 1'000);
}

TEST(Csv, AManyLineCellTakesTimeInProportion) {
  std::string text = "a,b\n\"";
  for (int i = 0; i < 300'000; ++i) text += "x\n";
  text += "\",2\n3,4\n";
  const Rows read = read_text(text, {.format = "csv"}, {"b"});
  ASSERT_EQ(read.rows.size(), 2);
  EXPECT_EQ(read.rows[0].fields[0], "2");
}

TEST(Csv, RefusesHeadersThatNameTwoColumnsAlike) {
  EXPECT_EQ(open_error("a,b,a\n1,2,3\n"), "memory: two columns are named \"a\"");
  EXPECT_EQ(open_error("a,,\n1,2,3\n"), "") << "columns without a name are not asked for";
  EXPECT_THAT(open_error("a,\"b\"c\n"), HasSubstr("memory: the header line can't be read"));
  EXPECT_THAT(open_error("a" + std::string(5'000, ',') + "\n"), HasSubstr("more than 4,096 columns"));
}

TEST(Csv, ATooLongHeaderIsAnErrorAndTheNextLineNone) {
  const std::string header = "a," + std::string(100, 'b') + "\n1,2\n";
  for (const char* format : {"csv", "tsv"}) {
    const auto stream = LogStream::open_memory(header, {.format = format, .max_line = 64});
    ASSERT_FALSE(stream.ok());
    EXPECT_EQ(stream.error().message, "memory: the header line is longer than --max-line, 64 bytes");
  }
  const auto in_quotes = LogStream::open_memory("a,\"b\n" + std::string(100, 'b') + "\"\n1,2\n",
                                                {.format = "csv", .max_line = 64});
  ASSERT_FALSE(in_quotes.ok());
  EXPECT_THAT(in_quotes.error().message, HasSubstr("does not end within --max-line, 64 bytes"));
  EXPECT_THAT(open_error("a,\"b\n1,2\n"), HasSubstr("the header line can't be read"));
  const FileForTest first("a,b\n1,2\n");
  const FileForTest second(header);
  const Rows read =
      read_rows(LogStream::open({first.path(), second.path()}, {.format = "csv", .max_line = 64}), {"a"});
  EXPECT_EQ(read.rows.size(), 1);
  EXPECT_EQ(read.problem, second.path() + ": the header line is longer than --max-line, 64 bytes");
}

TEST(Csv, NamesTheColumnsWhenAskedForAnother) {
  Result<LogStream> stream = LogStream::open_memory("ip,status\n", {.format = "csv"});
  ASSERT_TRUE(stream.ok());
  const Result<FieldId> wrong = stream->want("sttus");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message,
            "there is no column \"sttus\"; did you mean \"status\"? The columns are ip, status");
  EXPECT_TRUE(stream->want("line").ok());
}

TEST(Csv, ReadsTimes) {
  const Nanos second = 1'431'857'103 * kSecond;
  const Rows read =
      read_text("a,ts\n1,1431857103\n2,2015-05-17 10:05:03\n3,\"2015-05-17T10:05:03.5Z\"\n4,\n5,nonsense\n",
                {.format = "csv"}, {"a"});
  ASSERT_EQ(read.rows.size(), 4);
  EXPECT_EQ(read.rows[0].time, second);
  EXPECT_EQ(read.rows[1].time, second);
  EXPECT_EQ(read.rows[2].time, second + 500'000'000);
  EXPECT_EQ(read.rows[3].time, std::nullopt);
  EXPECT_EQ(read.counts.malformed, 1);
  const Rows preferred = read_text("ts,time\n1,2\n", {.format = "csv"});
  EXPECT_EQ(preferred.rows.at(0).time, 2 * kSecond);
}

TEST(Csv, EachFileHasItsOwnHeader) {
  const FileForTest first("a,b\n1,2\n");
  const FileForTest second("b,a\n3,4\n");
  const FileForTest third("b\n5\n");
  const Rows read =
      read_rows(LogStream::open({first.path(), second.path(), third.path()}, {.format = "csv"}), {"a", "b"});
  ASSERT_EQ(read.rows.size(), 3);
  EXPECT_EQ(read.rows[0].fields, (std::vector<Value>{"1", "2"}));
  EXPECT_EQ(read.rows[1].fields, (std::vector<Value>{"4", "3"}));
  EXPECT_EQ(read.rows[2].fields, (std::vector<Value>{std::nullopt, "5"}));
}

TEST(Csv, ABadHeaderLaterOnIsAnError) {
  const FileForTest first("a,b\n1,2\n");
  const FileForTest second("a,a\n3,4\n");
  const Rows read = read_rows(LogStream::open({first.path(), second.path()}, {.format = "csv"}), {"a"});
  EXPECT_EQ(read.rows.size(), 1);
  EXPECT_EQ(read.problem, second.path() + ": two columns are named \"a\"");
}

TEST(Csv, AnEmptyFileHasNoRecordsAndEveryColumn) {
  for (const std::string_view text : {"", "\n \n"}) {
    const Rows read = read_text(text, {.format = "csv"}, {"a", "whatever"});
    EXPECT_EQ(read.counts.records, 0);
    EXPECT_EQ(read.problem, "");
  }
}

TEST(Tsv, ReadsCellsAndTheirEscapes) {
  EXPECT_EQ(cells("a\tb\n1\t2\n", "tsv"), (Cells{"1|2"}));
  EXPECT_EQ(cells("a\tb\n\"1\t2\"\n", "tsv"), (Cells{"\"1|2\""}));
  EXPECT_EQ(cells("a\tb\nx\\ty\t\\n\\r\\\\\\q\\\n", "tsv"), (Cells{"x\ty|\n\r\\\\q\\"}));
  EXPECT_EQ(cells("a\tb\nx,y\t\n", "tsv"), (Cells{"x,y|"}));
  EXPECT_EQ(cells("a\tb\n1\n1\t2\t3\n1\t2\n", "tsv", 2), (Cells{"1|2"}));
}

/// One cell as RFC 4180 writes it.
std::string quoted(const std::string& cell) {
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

RC_GTEST_PROP(Csv, ReadsBackWhatWasQuoted, ()) {
  const auto letter = rc::gen::element('a', '"', ',', '\n', '\r', ' ', '\0');
  const auto rows = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::container<std::string>(letter), rc::gen::container<std::string>(letter)));
  const auto block = *rc::gen::inRange<std::size_t>(1, 65);
  std::string text = "a,b\n";
  for (const auto& [a, b] : rows) text += quoted(a) + ',' + quoted(b) + '\n';
  const Rows read = read_text(text, {.format = "csv", .block = block}, {"a", "b"});
  RC_ASSERT(read.counts.malformed == 0);
  RC_ASSERT(read.rows.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(read.rows[i].fields[0] == rows[i].first);
    RC_ASSERT(read.rows[i].fields[1] == rows[i].second);
  }
}

}  // namespace
}  // namespace weir
