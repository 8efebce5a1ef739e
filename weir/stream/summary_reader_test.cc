#include "weir/stream/summary_reader.h"

#include <gtest/gtest.h>

#include <atomic>

#include "weir/stream/number.h"
#include "weir/stream/record_codec.h"
#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

struct Seen {
  std::string lines;
  LogCounts counts{};
};

Seen read_all(const std::vector<std::string>& paths, unsigned threads, std::uint64_t part_bytes) {
  SummaryReaderOptions options;
  options.log.format = "lines";
  options.log.max_line = 40;
  options.threads = threads;
  options.part_bytes = part_bytes;
  Result<SummaryReader> reader = SummaryReader::open(paths, options);
  EXPECT_TRUE(reader);
  const FieldId line = reader->want("line").value();
  Seen seen;
  reader->run([&](const Record& record) { seen.lines.append(*record.field(line)).append("\n"); });
  EXPECT_TRUE(reader->status());
  seen.counts = reader->counts();
  return seen;
}

TEST(SummaryReader, cuts_at_every_byte_and_gives_the_same) {
  const std::string text = "\xEF\xBB\xBFone\ntwo\r\n\n\nlonger than the parts are\n" + std::string(60, 'x') +
                           "\nlast but one\n\xEF\xBB\xBFmark\nno end";
  const FileForTest first(text);
  const FileForTest second("second file\n" + std::string(45, 'y') + "\nend\n");
  const FileForTest empty("");
  const std::vector<std::string> paths{first.path(), empty.path(), second.path(), first.path()};
  const Seen right = read_all(paths, 1, 1);
  EXPECT_EQ(right.counts.records, 17U);
  EXPECT_EQ(right.counts.too_long, 3U);
  for (std::uint64_t part = 1; part < text.size() + 3; ++part) {
    for (const unsigned threads : {2U, 5U}) {
      const Seen seen = read_all(paths, threads, part);
      EXPECT_EQ(seen.lines, right.lines) << part;
      EXPECT_EQ(seen.counts.records, right.counts.records);
      EXPECT_EQ(seen.counts.too_long, right.counts.too_long);
      EXPECT_EQ(seen.counts.malformed_where, right.counts.malformed_where);
      EXPECT_EQ(seen.counts.malformed_example, right.counts.malformed_example);
    }
  }
}

TEST(SummaryReader, stops_when_asked_to) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "a line of the log\n";
  const FileForTest file(text);
  std::atomic<bool> stop{false};
  SummaryReaderOptions options;
  options.log.format = "lines";
  options.log.stop = &stop;
  options.threads = 3;
  options.part_bytes = 1'000;
  Result<SummaryReader> reader = SummaryReader::open({file.path()}, options);
  ASSERT_TRUE(reader);
  std::uint64_t records = 0;
  reader->run([&](const Record&) {
    ++records;
    stop = true;
  });
  EXPECT_TRUE(reader->status());
  EXPECT_LT(records, 1'000U);
}

TEST(SummaryReader, an_exception_of_who_takes_ends_the_threads) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "a line of the log\n";
  const FileForTest file(text);
  SummaryReaderOptions options;
  options.log.format = "lines";
  options.threads = 3;
  options.part_bytes = 1'000;
  Result<SummaryReader> reader = SummaryReader::open({file.path()}, options);
  ASSERT_TRUE(reader);
  EXPECT_THROW(reader->run([](const Record&) { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(RecordCodec, gives_back_what_it_took) {
  const std::vector<std::optional<std::string_view>> fields{"value", std::nullopt, "",
                                                            std::string_view("\0\xff", 2)};
  std::string bytes;
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
    for (const std::optional<Nanos> time :
         {std::optional<Nanos>(), std::optional<Nanos>(-5), std::optional(kForever)}) {
      RecordCodec::append(bytes, {.line = {}, .fields = fields, .time = time, .weight = weight});
    }
  }
  RecordCodec codec(fields.size());
  std::string_view rest = bytes;
  for (const std::uint64_t weight : {std::uint64_t{1}, std::uint64_t{1'000'000}}) {
    for (const std::optional<Nanos> time :
         {std::optional<Nanos>(), std::optional<Nanos>(-5), std::optional(kForever)}) {
      const Record record = codec.take(rest);
      EXPECT_EQ(record.weight, weight);
      EXPECT_EQ(record.time, time);
      EXPECT_TRUE(std::equal(record.fields.begin(), record.fields.end(), fields.begin(), fields.end()));
    }
  }
  EXPECT_TRUE(rest.empty());
}

TEST(Number, is_a_decimal_and_nothing_else) {
  EXPECT_EQ(parse_number("0"), 0);
  EXPECT_EQ(parse_number("999999999999999"), 999999999999999.0);
  EXPECT_EQ(parse_number("12345678901234567890"), 12345678901234567890.0);
  EXPECT_EQ(parse_number("-1.5e3"), -1500);
  EXPECT_EQ(parse_number("+2"), 2);
  for (const std::string_view text :
       {"", "-", "+", "+-2", "++2", "1 ", " 1", "1,5", "0x10", "nan", "inf", "1e999", "1_0", "-inf"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weir
