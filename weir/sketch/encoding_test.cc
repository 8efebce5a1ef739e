#include "weir/sketch/encoding.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "weir/sketch/bytes.h"

namespace weir {
namespace {

TEST(Bytes, WhatIsWrittenIsRead) {
  ByteWriter out;
  out.put<std::uint8_t>(7);
  out.put<std::uint16_t>(0x0102);
  out.put<std::int64_t>(-5);
  out.put<double>(1.5);
  out.put_varint(std::numeric_limits<std::uint64_t>::max());
  out.put_text("weir");
  out.put_array<std::uint32_t>(std::vector<std::uint32_t>{1, 2, 3});
  EXPECT_EQ(out.bytes().substr(1, 2), std::string("\x02\x01"));
  ByteReader in(out.bytes(), "test");
  EXPECT_EQ(in.get<std::uint8_t>("a"), 7);
  EXPECT_EQ(in.get<std::uint16_t>("b"), 0x0102);
  EXPECT_EQ(in.get<std::int64_t>("c"), -5);
  EXPECT_EQ(in.get<double>("d"), 1.5);
  EXPECT_EQ(in.get_varint("e"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(in.get_text("f"), "weir");
  EXPECT_EQ(in.get_array<std::uint32_t>(3, "g"), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_TRUE(in.finish().ok());
}

TEST(Bytes, TheFirstErrorStays) {
  ByteReader in("abc", "test");
  EXPECT_EQ(in.get<std::uint64_t>("the size"), 0U);
  EXPECT_EQ(in.get<std::uint8_t>("the rest"), 0U);
  EXPECT_EQ(in.finish().error().message, "test: the size cut off at byte 0: 8 bytes are needed, 3 are left");
}

TEST(Bytes, SizesThatCantBeTrueAllocateNothing) {
  ByteReader in(std::string_view("0123456789"), "test");
  EXPECT_TRUE(in.get_array<std::uint64_t>(std::uint64_t{1} << 61U, "the cells").empty());
  EXPECT_FALSE(in.ok());
  ByteWriter out;
  out.put_varint(1U << 30U);
  ByteReader count(out.bytes(), "test");
  EXPECT_EQ(count.get_count(1, "the items"), 0U);
  EXPECT_FALSE(count.ok());
  ByteReader text(out.bytes(), "test");
  EXPECT_EQ(text.get_text("the name"), "");
  EXPECT_FALSE(text.ok());
}

TEST(Bytes, VarintsAreTheirShortestForm) {
  for (const std::string& bytes :
       {std::string("\x80\x00", 2), std::string(10, '\xFF'), std::string(9, '\xFF') + '\x02',
        std::string(11, '\x80'), std::string("\x80"), std::string()}) {
    ByteReader in(bytes, "test");
    EXPECT_EQ(in.get_varint("n"), 0U);
    EXPECT_FALSE(in.ok());
  }
}

TEST(Bytes, BytesLeftOverAreAnError) {
  ByteReader in("abc", "test");
  in.get<std::uint8_t>("a");
  EXPECT_EQ(in.finish().error().message, "test: 2 bytes too many at byte 1");
}

TEST(Frame, HoldsItsPayload) {
  const std::string frame = write_frame(SketchKind::count_min, "payload");
  const Result<std::string_view> payload = read_frame(frame, SketchKind::count_min);
  ASSERT_TRUE(payload.ok());
  EXPECT_EQ(*payload, "payload");
}

TEST(Frame, SeveralFollowOneAnother) {
  const std::string two = write_frame(SketchKind::kll, "a") + write_frame(SketchKind::theta, "");
  std::string_view rest = two;
  EXPECT_EQ(take_frame(rest)->payload, "a");
  EXPECT_EQ(take_frame(rest)->kind, SketchKind::theta);
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(read_frame(two, SketchKind::kll).ok());
}

TEST(Frame, AnOriginBeforeItIsPassedOver) {
  const std::string origin = write_frame(SketchKind::origin, "fields");
  const std::string both = origin + write_frame(SketchKind::kll, "a");
  EXPECT_EQ(read_frame(both, SketchKind::kll).value(), "a");
  EXPECT_EQ(read_frame(origin, SketchKind::origin).value(), "fields");
  EXPECT_FALSE(read_frame(origin, SketchKind::kll).ok());
  EXPECT_FALSE(read_frame(both, SketchKind::origin).ok());
  EXPECT_FALSE(read_frame(origin + both, SketchKind::kll).ok());
}

TEST(Frame, AnotherKindIsNamed) {
  EXPECT_EQ(read_frame(write_frame(SketchKind::theta, ""), SketchKind::kll).error().message,
            "summary: a theta sketch, where a KLL quantiles was meant");
}

TEST(Frame, EveryFlippedBitAndEveryCutIsFound) {
  const std::string frame = write_frame(SketchKind::cuckoo, "some payload");
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    std::string flipped = frame;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(read_frame(flipped, SketchKind::cuckoo).ok()) << bit;
  }
  for (std::size_t length = 0; length < frame.size(); ++length) {
    std::string_view cut(frame.data(), length);
    EXPECT_FALSE(take_frame(cut).ok()) << length;
    EXPECT_EQ(cut.size(), length);
  }
}

}  // namespace
}  // namespace weir
