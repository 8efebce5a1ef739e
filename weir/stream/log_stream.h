// Files, compressed files and pipes as a stream of records, in the order in which they are written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/log_inputs.h"
#include "weir/stream/record.h"

namespace weir {

struct LogOptions {
  /// auto|lines|combined|common|json|csv|tsv|syslog|regex:PATTERN
  std::string format = "auto";
  /// Longer records are counted as too_long and skipped.
  std::size_t max_line = std::size_t{16} << 20U;
  /// The year of the first syslog record; when left out, the latest that puts no record after the file's own
  /// time.
  std::optional<int> year = std::nullopt;
  /// What time it is, for syslog records without a year that come through a pipe; the system's clock when
  /// left out.
  std::optional<Nanos> now = std::nullopt;
  /// When it becomes true (in a signal handler, say), next() gives false as soon as it would have to read
  /// more, also while it waits for a pipe. The flag must outlive the stream.
  const std::atomic<bool>* stop = nullptr;
  /// Only the lines are wanted: where a record is a line, whatever stands in it, nothing is taken apart, and
  /// so nothing is malformed and nothing has a time. csv and tsv are still cut into records.
  bool lines_only = false;
  /// Looks at the first records to know which fields there are, where only they tell.
  bool glance = false;
  /// How many bytes to ask a file for at a time.
  std::size_t block = std::size_t{256} << 10U;
};

/// All that was read so far. A blank line is no record. A line of weight n counts n times.
struct LogCounts {
  std::uint64_t records = 0;    // parsed + malformed
  std::uint64_t malformed = 0;  // too_long included
  std::uint64_t too_long = 0;
  std::uint64_t bytes = 0;        // read from the files, before decompression
  std::uint64_t total_bytes = 0;  // of all files; 0 when a pipe is among them
  /// The first record that did not parse: "access.log:8899" and its text, cut.
  std::string malformed_where;
  std::uint64_t malformed_line = 0;  // the number in it
  std::string malformed_example;
  /// Of the input that is being read.
  std::uint64_t lines = 0;
};

class LogStream {
 public:
  /// "-" or no path is standard input. Errors: a file that can't be opened, an unknown format, a bad pattern.
  static Result<LogStream> open(std::vector<std::string> paths, LogOptions options);

  /// Reads `text` as if a pipe brought it. The text must outlive the stream.
  static Result<LogStream> open_memory(std::string_view text, LogOptions options);

  /// Reads what is open already: a part of a file. REQUIRES: a format that is not `auto` and needs to know
  /// nothing of what stands before the part (see can_be_split).
  static Result<LogStream> open_part(LogInput part, LogOptions options);

  LogStream(LogStream&&) noexcept;
  LogStream& operator=(LogStream&&) noexcept;
  ~LogStream();

  /// The format in use: what `auto` chose from the first records, or what was asked for.
  std::string_view format() const;
  /// The fields that the format knows to have, `line` left out; of json the keys of the first records.
  std::vector<std::string> fields() const;
  /// Asks for a field by the name the format gives it ("line" in every format). An error when the format has
  /// a fixed set of names and this is none of them (with a suggestion). REQUIRES: before the first next().
  Result<FieldId> want(std::string_view name);
  /// The names of all that was asked for, each at the place that its FieldId says.
  const std::vector<std::string>& wanted() const;
  /// Whether every path is a regular file, so that it can be read to its end and sorted completely.
  bool only_files() const;

  /// The next record that parses; false at the end, or after a read error (see status()).
  bool next(Record& record);
  const LogCounts& counts() const;
  /// Not ok after a read error or damaged compressed data.
  const Status& status() const;

 private:
  struct Impl;
  explicit LogStream(std::unique_ptr<Impl> impl);
  static Result<LogStream> begin(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
