#include "weir/stream/event_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace weir {
namespace {

TEST(EventTime, ReadsWhatPeopleWrite) {
  const Nanos second = 1'431'857'103 * kSecond;
  const std::pair<std::string_view, Nanos> cases[] = {
      {"1431857103", second},
      {"1431857103.000000001", second + 1},
      {"-1.5", -1'500'000'000},
      {"0", 0},
      {"2015-05-17T10:05:03Z", second},
      {"2015-05-17 10:05:03", second},
      {"2015-05-17T10:05:03", second},
      {"2015-05-17 10:05:03.25", second + 250'000'000},
      {"2015-05-17T10:05:03.000000001-00:30", second + 1 + 30 * kMinute},
      {"1.431857103e9", second},
      {"1431857103000e-3", second},
      {"14318571030E-1", second},
      {"1.4318571030000001e+09", second + 100},
      {"5e-9", 5},
      {"-5e-9", -5},
      {"5e-10", 0},
      {"1e0", kSecond},
      {"0e5", 0},
      {"9223372036.854775807", kForever},
  };
  for (const auto& [text, time] : cases) EXPECT_EQ(parse_event_time(text), time) << text;
}

TEST(EventTime, RefusesTheRest) {
  for (const std::string_view text : {"",
                                      " ",
                                      "x",
                                      "e",
                                      "1e",
                                      "e5",
                                      "1e5x",
                                      "1e++5",
                                      "1e+-5",
                                      "--1",
                                      "1e1000",
                                      "1e-1000",
                                      "9223372036.854775808",
                                      "1e10",
                                      "1431857103000",
                                      "2015-05-17",
                                      "2015-05-17T10:05",
                                      "2015-05-17T10:05:03 UTC",
                                      "2015-13-17T10:05:03",
                                      "2415-05-17T10:05:03",
                                      "1.5.5e3",
                                      "1431857103 ",
                                      "+1",
                                      "0x10",
                                      "1,5",
                                      "-e5",
                                      ".e5"}) {
    EXPECT_EQ(parse_event_time(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_event_time(std::string(1'000'000, '1')), std::nullopt);
}

RC_GTEST_PROP(EventTime, GivesBackWhatWasWrittenInEitherWay, ()) {
  const auto time = *rc::gen::arbitrary<Nanos>();
  std::string seconds;
  append_seconds(seconds, time);
  RC_ASSERT(parse_event_time(seconds) == time);
  RC_ASSERT(parse_event_time(format_rfc3339(time)) == time);
  RC_ASSERT(parse_event_time(std::to_string(time) + "e-9") == time);
}

}  // namespace
}  // namespace weir
