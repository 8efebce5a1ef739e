#include "weir/stream/saved_summary.h"

#include <gtest/gtest.h>

#include "tests/support/hostile.h"

namespace weir {
namespace {

std::string distinct_of(int from, int to) {
  UltraLogLog sketch = UltraLogLog::create(8).value();
  for (int i = from; i < to; ++i) sketch.add(std::to_string(i));
  return sketch.encode();
}

TEST(SummaryOrigin, is_read_as_it_was_written) {
  for (const SummaryOrigin& origin :
       {SummaryOrigin{}, SummaryOrigin{.fields = {"ip"}}, SummaryOrigin{.fields = {"ip", "", "a\nb"}},
        SummaryOrigin{.weight = "bytes"}, SummaryOrigin{.fields = {"path"}, .weight = ""}}) {
    const Result<SummaryOrigin> read = decode_origin(encode_origin(origin));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, origin);
  }
  EXPECT_EQ(text_of({.fields = {"ip", "path"}}), R"("ip", "path")");
  EXPECT_EQ(text_of({.weight = "bytes"}), R"(whole records weighted by "bytes")");
}

TEST(SummaryOrigin, that_is_damaged_is_refused) {
  test::expect_damage_refused(encode_origin({.fields = {"ip", "path"}, .weight = "bytes"}),
                              [](const std::string& bytes) { return decode_origin(bytes).ok(); });
  for (const std::string payload :
       {"", "\x01", "\xff\xff\xff\x7f", "\x01\x02ip", "\x01\x02ip\x02", "\x01\x02ip\x01",
        "\x01\x02ip\x01\x03"
        "ab"}) {
    EXPECT_FALSE(decode_origin(write_frame(SketchKind::origin, payload))) << payload;
  }
}

TEST(SavedSummary, keeps_the_fields_that_stand_before_it) {
  const std::string alone = distinct_of(0, 9);
  const std::string of_ip = encode_origin({.fields = {"ip"}}) + alone;
  const Result<SavedSummary> old = SavedSummary::decode(alone);
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->origin());
  EXPECT_EQ(old->encode().value(), alone);
  const Result<SavedSummary> saved = SavedSummary::decode(of_ip);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->origin()->fields, std::vector<std::string>{"ip"});
  EXPECT_EQ(saved->encode().value(), of_ip);
  EXPECT_TRUE(UltraLogLog::decode(of_ip));
  test::expect_damage_refused(of_ip,
                              [](const std::string& bytes) { return SavedSummary::decode(bytes).ok(); });
  EXPECT_FALSE(SavedSummary::decode(of_ip + 'x'));
  EXPECT_FALSE(SavedSummary::decode(of_ip + alone));
  EXPECT_FALSE(SavedSummary::decode(encode_origin({}) + of_ip));
}

TEST(SavedSummary, of_different_fields_does_not_merge) {
  SavedSummary saved = SavedSummary::decode(encode_origin({.fields = {"ip"}}) + distinct_of(0, 9)).value();
  const std::string before = saved.encode().value();
  const auto other = [](const SummaryOrigin& origin) {
    return SavedSummary::decode(encode_origin(origin) + distinct_of(9, 20)).value();
  };
  EXPECT_EQ(saved.merge(other({.fields = {"path"}})).error().message,
            R"(one is of "ip" and the other of "path")");
  EXPECT_EQ(saved.merge(other({.fields = {"ip"}, .weight = "bytes"})).error().message,
            R"(one is of "ip" and the other of "ip" weighted by "bytes")");
  EXPECT_EQ(saved.encode().value(), before);
  EXPECT_TRUE(saved.merge(other({.fields = {"ip"}})));
  EXPECT_EQ(std::get<UltraLogLog>(saved.summary()).estimate().value, 20);
}

TEST(SavedSummary, without_fields_takes_those_of_the_other) {
  SavedSummary old = SavedSummary::decode(distinct_of(0, 9)).value();
  ASSERT_TRUE(old.merge(SavedSummary::decode(encode_origin({.fields = {"ip"}}) + distinct_of(0, 5)).value()));
  EXPECT_EQ(old.origin()->fields, std::vector<std::string>{"ip"});
  EXPECT_FALSE(
      old.merge(SavedSummary::decode(encode_origin({.fields = {"path"}}) + distinct_of(0, 5)).value()));
  EXPECT_TRUE(old.merge(SavedSummary::decode(distinct_of(0, 5)).value()));
}

TEST(SavedSummary, is_told_from_anything_else_by_its_first_bytes) {
  for (const std::string beginning : {"WEIR\x01\x09", "HYLL\x01", "WEIR"}) {
    EXPECT_TRUE(SavedSummary::check_beginning(beginning)) << beginning;
  }
  EXPECT_TRUE(SavedSummary::check_beginning(std::string("\x0A\x01\x07\x0C\0\x08\0\x0A", 8)));
  for (const std::string& beginning :
       {std::string(), std::string("WEI"), std::string("192.0.2.1 - - "), std::string("a,b\n1,2\n"),
        std::string("ab\nab\nab"), std::string(8, '\0'), std::string(8, '\xFF'),
        std::string("\x1F\x8B\x08\0\0\0\0\0", 8)}) {
    EXPECT_FALSE(SavedSummary::check_beginning(beginning)) << beginning;
  }
}

}  // namespace
}  // namespace weir
