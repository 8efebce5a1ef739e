#include "weir/stream/decompress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "weir/stream/decoders.h"
#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

std::string gzip(const std::string& text) {
  z_stream state{};
  EXPECT_EQ(::deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in = text;
  std::string out(::deflateBound(&state, in.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(in.data());
  state.avail_in = static_cast<unsigned>(in.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<unsigned>(out.size());
  EXPECT_EQ(::deflate(&state, Z_FINISH), Z_STREAM_END);
  out.resize(state.total_out);
  ::deflateEnd(&state);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(::ZSTD_compressBound(text.size()), '\0');
  out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

struct Unpacked {
  std::string text;
  std::string problem;
};

Unpacked unpack(ByteSource& source, std::size_t room) {
  Unpacked all;
  std::vector<char> buffer(room);
  for (;;) {
    const Result<ReadOutcome> outcome = source.read(buffer);
    if (!outcome) {
      all.problem = outcome.error().message;
      EXPECT_FALSE(source.read(buffer).ok()) << "an error stays";
      return all;
    }
    if (outcome->count == 0) return all;
    all.text.append(buffer.data(), outcome->count);
  }
}

Unpacked unpack(const std::string& bytes, std::size_t piece, std::size_t room) {
  const auto source = decompressed("log.gz", std::make_unique<MemorySource>(bytes, piece));
  return unpack(*source, room);
}

/// Lines that do not compress to almost nothing.
std::string some_text() {
  std::string text;
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    text += std::to_string(state) + '\n';
  }
  return text;
}

TEST(Decompress, GivesBackWhatWasCompressed) {
  const std::string text = some_text();
  const std::string half = text.substr(0, text.size() / 2);
  const std::string rest = text.substr(text.size() / 2);
  const std::string skippable = std::string(
      "\x53\x2A\x4D\x18\x03\x00\x00\x00"
      "abc",
      11);
  const std::vector<std::string> packed = {
      text,
      gzip(text),
      gzip(half) + gzip(rest),
      gzip(half) + gzip("") + gzip(rest) + std::string(1000, '\0'),
      zstd(text),
      zstd(half) + zstd(rest),
      skippable + zstd(half) + zstd("") + skippable + zstd(rest),
  };
  for (const std::string& bytes : packed) {
    for (const auto& [piece, room] :
         {std::pair<std::size_t, std::size_t>{1, 4096}, {7, 100}, {1U << 20U, 1U << 20U}}) {
      const Unpacked got = unpack(bytes, piece, room);
      EXPECT_EQ(got.problem, "");
      EXPECT_TRUE(got.text == text) << "piece " << piece << ", room " << room;
    }
  }
}

TEST(Decompress, LeavesWhatOnlyBeginsLikeCompressedDataAlone) {
  for (const std::string text :
       {"", "\x1F", "\x1F\x8A", "\x28\xB5\x2F", "\x28\xB5\x2F\xFC", "P", "P*M", "Plain\n", "\x1F text"}) {
    for (const std::size_t piece : {1, 2, 100}) {
      const Unpacked got = unpack(text, piece, 10);
      EXPECT_EQ(got.text, text);
      EXPECT_EQ(got.problem, "");
    }
  }
}

TEST(Decompress, RecognisesByTheFirstBytes) {
  EXPECT_EQ(recognise(""), Compression::kUndecided);
  EXPECT_EQ(recognise("a"), Compression::kNone);
  EXPECT_EQ(recognise("\x1F"), Compression::kUndecided);
  EXPECT_EQ(recognise("\x1F\x8B"), Compression::kGzip);
  EXPECT_EQ(recognise("\x28\xB5\x2F"), Compression::kUndecided);
  EXPECT_EQ(recognise("\x28\xB5\x2F\xFD"), Compression::kZstd);
  EXPECT_EQ(recognise("\x50\x2A\x4D\x18"), Compression::kZstd);
  EXPECT_EQ(recognise("\x5F\x2A\x4D"), Compression::kUndecided);
  EXPECT_EQ(recognise("\x5F\x2A\x4E"), Compression::kNone);
}

TEST(Decompress, GivesWhatCouldBeReadOfCutDataAndSaysSo) {
  const std::string text = some_text();
  for (const std::string& whole : {gzip(text), zstd(text)}) {
    for (const std::size_t size : {std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
      const Unpacked got = unpack(whole.substr(0, size), 1000, 1000);
      EXPECT_TRUE(text.starts_with(got.text));
      EXPECT_EQ(got.problem, "log.gz: the compressed data breaks off") << size;
      EXPECT_EQ(got.text.empty(), size < 100);
    }
  }
}

TEST(Decompress, NamesDamage) {
  const std::string text = some_text();
  for (std::string bytes : {gzip(text), zstd(text)}) {
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 200; ++i)
      bytes[i] = static_cast<char>(~bytes[i]);
    const Unpacked got = unpack(bytes, 1000, 1000);
    EXPECT_THAT(got.problem, HasSubstr("log.gz: the compressed data is damaged ("));
  }
}

TEST(Decompress, HoldsAFrameToTheSizeInItsHead) {
  // RFC 8878: one segment of 11,050 bytes, of which a block that repeats one byte gives 2,566 and two empty
  // ones nothing.
  const std::string frame("\x28\xB5\x2F\xFD\x60\x2A\x2A\x32\x50\x00\x5D\x00\x00\x00\x01\x00\x00", 17);
  for (const std::size_t room : {std::size_t{1000}, std::size_t{65536}}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      EXPECT_THAT(unpack(frame, piece, room).problem, HasSubstr("log.gz: the compressed data is damaged ("));
    }
  }
}

TEST(Decompress, NamesWhatFollows) {
  for (const std::string& bytes : {gzip("a\n"), zstd("a\n")}) {
    const Unpacked got = unpack(bytes + "hello, world\n", 1000, 1000);
    EXPECT_EQ(got.text, "a\n");
    EXPECT_EQ(got.problem, "log.gz: something else follows the compressed data");
  }
}

TEST(Decompress, ReadsAgainFromTheStart) {
  const std::string text = some_text();
  for (const std::string& bytes : {text, gzip(text), zstd(text)}) {
    const auto source = decompressed("log", std::make_unique<MemorySource>(bytes, 1000));
    std::vector<char> buffer(2000);
    ASSERT_TRUE(source->read(buffer).ok());
    ASSERT_TRUE(source->rewind());
    EXPECT_TRUE(unpack(*source, 5000).text == text);
    EXPECT_EQ(source->consumed(), bytes.size());
  }
}

TEST(Decompress, StreamsCountTheCompressedBytes) {
  const std::string packed = gzip("a\nb\nc\n");
  const FileForTest file(packed);
  const Rows read = read_rows(LogStream::open({file.path()}, {.format = "lines"}), {});
  EXPECT_EQ(read.lines(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read.counts.bytes, packed.size());
  EXPECT_EQ(read.counts.total_bytes, packed.size());
}

TEST(Decompress, StreamsKeepTheRecordsBeforeTheDamage) {
  const std::string packed = gzip(some_text());
  const FileForTest file(packed.substr(0, packed.size() - 20));
  const Rows read = read_rows(LogStream::open({file.path()}, {.format = "lines"}), {});
  EXPECT_GT(read.rows.size(), 15'000);
  EXPECT_EQ(read.problem, file.path() + ": the compressed data breaks off");
}

}  // namespace
}  // namespace weir
