#include "weir/stream/syslog.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

using Value = std::optional<std::string>;

LogOptions syslog_options() {
  return {.format = "syslog", .now = from_civil(2024, 6, 1, 0, 0, 0)};
}

struct Case {
  std::string line;
  std::optional<Nanos> time;
  Value host;
  Value program;
  Value pid;
  Value message;
};

void expect_cases(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const Rows read = read_text(each.line, syslog_options(), {"host", "program", "pid", "message"});
    ASSERT_EQ(read.rows.size(), 1) << each.line;
    EXPECT_EQ(read.rows[0].time, each.time) << each.line;
    EXPECT_EQ(read.rows[0].fields, (std::vector<Value>{each.host, each.program, each.pid, each.message}))
        << each.line;
  }
}

TEST(Syslog, ReadsTheBsdFormat) {
  const auto time = from_civil(2024, 3, 27, 13, 6, 56);
  const auto early = from_civil(2024, 3, 7, 13, 6, 56);
  expect_cases({
      {"Mar 27 13:06:56 box sshd[1291]: Server listening", time, "box", "sshd", "1291", "Server listening"},
      {"<34>Mar 27 13:06:56 box sshd[1291]: Server listening", time, "box", "sshd", "1291",
       "Server listening"},
      {"Mar  7 13:06:56 box kernel: up", early, "box", "kernel", {}, "up"},
      {"Mar 07 13:06:56 box kernel: up", early, "box", "kernel", {}, "up"},
      {"Mar 27 13:06:56 box postfix/smtpd[9]: x: y", time, "box", "postfix/smtpd", "9", "x: y"},
      {"Mar 27 13:06:56 box sshd(pam_unix)[9]: x", time, "box", "sshd(pam_unix)", "9", "x"},
      {"Mar 27 13:06:56 kernel: no host", time, {}, "kernel", {}, "no host"},
      {"Mar 27 13:06:56 box last message repeated 3 times",
       time,
       "box",
       {},
       {},
       "last message repeated 3 times"},
      {"Mar 27 13:06:56 box kernel:", time, "box", "kernel", {}, ""},
      {"Mar 27 13:06:56 box", time, "box", {}, {}, ""},
      {"Mar 27 13:06:56", time, {}, {}, {}, ""},
      {"Mar 27 13:06:56.25 box kernel: up", *time + 250'000'000, "box", "kernel", {}, "up"},
  });
}

TEST(Syslog, ReadsStampsWithAYear) {
  const auto time = from_civil(2023, 10, 11, 22, 14, 15, 3'000'000);
  expect_cases({
      {"2023-10-11T22:14:15.003Z box sshd[1]: x", time, "box", "sshd", "1", "x"},
      {"2023-10-12T07:14:15.003+09:00 box sshd[1]: x", time, "box", "sshd", "1", "x"},
      {"<34>2023-10-11T22:14:15.003Z box su: x", time, "box", "su", {}, "x"},
  });
}

TEST(Syslog, ReadsRfc5424) {
  const auto time = from_civil(2003, 10, 11, 22, 14, 15, 3'000'000);
  expect_cases({
      {"<34>1 2003-10-11T22:14:15.003Z box su - ID47 - 'su root' failed",
       time,
       "box",
       "su",
       {},
       "'su root' failed"},
      {"<34>1 2003-10-11T22:14:15.003Z box su 77 ID47 -", time, "box", "su", "77", ""},
      {"1 2003-10-11T22:14:15.003Z box su 77 ID47 - \xEF\xBB\xBF"
       "msg",
       time, "box", "su", "77", "msg"},
      {"<165>1 2003-10-11T22:14:15.003Z box su - - [a b=\"]\\\"]\" c=\"\"][d] msg",
       time,
       "box",
       "su",
       {},
       "msg"},
      {"<165>1 2003-10-11T22:14:15.003Z box su - - [a]", time, "box", "su", {}, ""},
      {"<165>1 - - - - - - msg", {}, {}, {}, {}, "msg"},
  });
}

TEST(Syslog, CountsTheRestAsMalformed) {
  for (const std::string line : {"x",
                                 "Mar 27",
                                 "Mar 32 13:06:56 box a: b",
                                 "Mar 27 24:06:56 box a: b",
                                 "Mar 27 13:60:56 box a: b",
                                 "Mar 27 13:06:61 box a: b",
                                 "Mai 27 13:06:56 box a: b",
                                 "Mar 27 13:06:56x box a: b",
                                 "Mar 27 13:06:56. box a: b",
                                 "Feb 30 13:06:56 box a: b",
                                 "Mar  0 13:06:56 box a: b",
                                 "<34>",
                                 "<3456>Mar 27 13:06:56 box a: b",
                                 "<>Mar 27 13:06:56 box a: b",
                                 "2023-10-11 box a: b",
                                 "2423-10-11T22:14:15Z box a: b",
                                 "<34>1 yesterday box su - ID47 - x",
                                 "<34>1 2003-10-11T22:14:15.003Z box su -",
                                 "<34>1 2003-10-11T22:14:15.003Z box su - - [a",
                                 "<34>1 2003-10-11T22:14:15.003Z box su - - [a b=\"]",
                                 "<34>1 2003-10-11T22:14:15.003Z box su - - [a]x",
                                 "<34>1 2003-10-11T22:14:15.003Z box su - - x"}) {
    EXPECT_EQ(read_text(line, syslog_options()).counts.malformed, 1) << line;
  }
}

struct RepeatCase {
  std::string message;
  std::uint64_t weight;
  std::string inner;
};

TEST(Syslog, WeighsRepeatedMessages) {
  const std::string inner = "Failed password for root from 192.0.2.1 port 22 ssh2";
  const std::vector<RepeatCase> cases = {
      {inner, 1, inner},
      {"message repeated 5 times: [ " + inner + "]", 5, inner},
      {"message repeated 5 times: [" + inner + "]", 5, inner},
      {"message repeated 5 times: [ " + inner, 5, inner},
      {"message repeated 1000000 times: [ x]", 1'000'000, "x"},
      {"message repeated 5 times", 1, "message repeated 5 times"},
      {"the message repeated 5 times: [ x]", 1, "the message repeated 5 times: [ x]"},
  };
  for (const RepeatCase& each : cases) {
    const std::string line = "Mar 27 13:06:56 box sshd[1]: " + each.message;
    const Rows read = read_text(line, syslog_options(), {"message"});
    ASSERT_EQ(read.rows.size(), 1) << line;
    EXPECT_EQ(read.rows[0].weight, each.weight) << line;
    EXPECT_EQ(read.rows[0].fields[0], each.inner) << line;
    EXPECT_EQ(read.counts.records, each.weight);
  }
  for (const std::string count : {"0", "1000001", "99999999999999999999999", "-1", "x", ""}) {
    const std::string line = "Mar 27 13:06:56 box sshd[1]: message repeated " + count + " times: [ x]";
    EXPECT_EQ(read_text(line, syslog_options()).counts.malformed, 1) << line;
  }
}

TEST(Syslog, CountsFiveHundredAndTwentyLinesAsFiveHundredAndTwentyEightAttempts) {
  std::string log;
  for (int i = 0; i < 518; ++i) log += "Mar 27 13:06:56 box sshd[1]: Invalid user x from 192.0.2.1\n";
  for (int i = 0; i < 2; ++i) {
    log += "Mar 27 13:06:57 box sshd[1]: message repeated 5 times: [ Invalid user x from 192.0.2.1]\n";
  }
  const Rows read = read_text(log, syslog_options(), {"ip", "user"});
  EXPECT_EQ(read.rows.size(), 520);
  EXPECT_EQ(read.counts.records, 528);
  EXPECT_EQ(read.rows.back().fields, (std::vector<Value>{"192.0.2.1", "x"}));
}

TEST(Syslog, TakesTheYearOfAFileFromItsOwnTime) {
  const FileForTest file("Dec 31 23:59:59 box a: b\nJan  1 00:00:01 box a: c\n");
  const std::time_t modified = *from_civil(2022, 6, 1, 0, 0, 0) / kSecond;
  const timespec times[2] = {{modified, 0}, {modified, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.path().c_str(), times, 0), 0);
  for (const std::string format : {"syslog", "auto"}) {
    const Rows read = read_rows(LogStream::open({file.path()}, {.format = format}), {});
    ASSERT_EQ(read.rows.size(), 2);
    EXPECT_EQ(read.rows[0].time, from_civil(2021, 12, 31, 23, 59, 59));
    EXPECT_EQ(read.rows[1].time, from_civil(2022, 1, 1, 0, 0, 1));
  }
  const Rows told = read_rows(LogStream::open({file.path()}, {.format = "syslog", .year = 1999}), {});
  EXPECT_EQ(told.rows.at(1).time, from_civil(2000, 1, 1, 0, 0, 1));
}

TEST(Syslog, KnowsItsFields) {
  Result<LogStream> stream = LogStream::open_memory("x", syslog_options());
  ASSERT_TRUE(stream.ok());
  const Result<FieldId> wrong = stream->want("progam");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("did you mean \"program\"?"));
}

}  // namespace
}  // namespace weir
