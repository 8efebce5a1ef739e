// For the tests of this folder: whole logs read at once, and files to read them from.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/stream/log_stream.h"

namespace weir {

/// A record that outlives its stream.
struct Row {
  std::string line;
  std::vector<std::optional<std::string>> fields;
  std::optional<Nanos> time;
  std::uint64_t weight = 1;

  bool operator==(const Row&) const = default;
};

struct Rows {
  std::vector<Row> rows;
  LogCounts counts;
  std::string format;
  /// What status() said; empty when it was good.
  std::string problem;

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const Row& row : rows) all.push_back(row.line);
    return all;
  }
};

/// Everything that is left of an open stream. Fails the test when a field can't be had.
inline Rows read_rows(Result<LogStream> stream, const std::vector<std::string>& fields) {
  Rows read;
  if (!stream) {
    ADD_FAILURE() << stream.error().message;
    return read;
  }
  std::vector<FieldId> ids;
  for (const std::string& field : fields) {
    const Result<FieldId> id = stream->want(field);
    if (!id) ADD_FAILURE() << id.error().message;
    if (id) ids.push_back(*id);
  }
  Record record;
  while (stream->next(record)) {
    Row row{std::string(record.line), {}, record.time, record.weight};
    for (const FieldId id : ids) row.fields.emplace_back(record.field(id));
    read.rows.push_back(std::move(row));
  }
  read.counts = stream->counts();
  read.format = stream->format();
  if (!stream->status()) read.problem = stream->status().error().message;
  return read;
}

inline Rows read_text(std::string_view text, LogOptions options,
                      const std::vector<std::string>& fields = {}) {
  return read_rows(LogStream::open_memory(text, std::move(options)), fields);
}

/// The value of one field of a text that is one record.
inline std::optional<std::string> read_field(std::string_view text, const std::string& format,
                                             const std::string& field) {
  const Rows read = read_text(text, {.format = format}, {field});
  EXPECT_EQ(read.rows.size(), 1) << text;
  EXPECT_EQ(read.counts.malformed, 0) << text;
  return read.rows.empty() ? std::nullopt : read.rows.front().fields.front();
}

/// A file that is gone when the test is over.
class FileForTest {
 public:
  explicit FileForTest(std::string_view content) {
    path_ = ::testing::TempDir() + "weir-stream-XXXXXX";
    const int descriptor = ::mkstemp(path_.data());
    EXPECT_GE(descriptor, 0);
    ::close(descriptor);
    std::ofstream(path_, std::ios::binary) << content;
  }
  FileForTest(const FileForTest&) = delete;
  FileForTest& operator=(const FileForTest&) = delete;
  ~FileForTest() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace weir
