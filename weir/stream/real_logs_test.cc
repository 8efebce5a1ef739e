// Real logs, whose figures were counted with other programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tests/support/source_dir.h"
#include "weir/stream/log_stream.h"
#include "weir/stream/rows_for_test.h"

namespace weir {
namespace {

std::string shared_log(const std::string& name) {
  return test::source_dir() + "/../shared/data/" + name;
}

TEST(RealLogs, AccessLogHasTheKnownCounts) {
  const std::string path = shared_log("access.log");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  Result<LogStream> opened = LogStream::open({path}, {.format = "combined"});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  LogStream& stream = *opened;
  const FieldId ip = *stream.want("ip");
  std::set<std::string> addresses;
  Record record;
  while (stream.next(record)) addresses.emplace(*record.field(ip));
  EXPECT_EQ(stream.counts().records, 10'000);
  EXPECT_EQ(stream.counts().malformed, 1);
  EXPECT_EQ(stream.counts().malformed_where, path + ":8899");
  EXPECT_EQ(stream.counts().bytes, 2'370'789);
  EXPECT_EQ(stream.counts().total_bytes, 2'370'789);
  EXPECT_EQ(addresses.size(), 1'753);
  EXPECT_TRUE(stream.status().ok());
}

TEST(RealLogs, AccessLogIsOutOfOrderAsIsKnown) {
  const std::string path = shared_log("access.log");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  const Rows read = read_rows(LogStream::open({path}, {}), {});
  EXPECT_EQ(read.format, "combined");
  std::size_t steps_back = 0;
  for (std::size_t i = 1; i < read.rows.size(); ++i)
    steps_back += *read.rows[i].time < *read.rows[i - 1].time ? 1 : 0;
  EXPECT_EQ(steps_back, 4'915);
}

TEST(RealLogs, AuthLogHasTheKnownCounts) {
  const std::string path = shared_log("auth.log");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;
  const Rows read = read_rows(LogStream::open({path}, {.year = 2017}), {"ip", "user", "message", "program"});
  EXPECT_EQ(read.format, "syslog");
  EXPECT_EQ(read.rows.size(), 7'121);
  EXPECT_EQ(read.counts.malformed, 0);
  std::map<std::string, int> by_address;
  int invalid = 0;
  int nameless = 0;
  for (const Row& row : read.rows) {
    if (!row.fields[2]->starts_with("Invalid user ")) continue;
    ++invalid;
    nameless += row.fields[1]->empty() ? 1 : 0;
    ++by_address[*row.fields[0]];
  }
  EXPECT_EQ(invalid, 178);
  EXPECT_EQ(nameless, 43);
  EXPECT_EQ(by_address.size(), 68);
  EXPECT_EQ(by_address["91.197.232.109"], 58);
  EXPECT_EQ(by_address["34.204.227.175"], 43);
  EXPECT_TRUE(std::is_sorted(read.rows.begin(), read.rows.end(),
                             [](const Row& a, const Row& b) { return a.time < b.time; }));
  EXPECT_EQ(read.rows.front().time, from_civil(2017, 3, 27, 13, 6, 56));
}

}  // namespace
}  // namespace weir
