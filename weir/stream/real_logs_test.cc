// Real logs, whose figures were counted with other programs.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "weir/stream/log_stream.h"

namespace weir {
namespace {

std::string shared_log(const std::string& name) {
  return WEIR_SOURCE_DIR "/../shared/data/" + name;
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

}  // namespace
}  // namespace weir
