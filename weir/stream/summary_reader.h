// The records that a summary is of: files on all cores, everything else in one thread, always in the order of
// the input.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/log_parts.h"
#include "weir/stream/log_stream.h"
#include "weir/stream/where.h"

namespace weir {

/// How far the reading has come.
struct ReadProgress {
  std::uint64_t bytes = 0;        // read from the files
  std::uint64_t total_bytes = 0;  // 0 when nobody knows
  std::uint64_t records = 0;
};

struct SummaryReaderOptions {
  LogOptions log;
  /// How many threads read; 0: one for each core, at most kMostThreads.
  unsigned threads = 0;
  /// About the size of the parts of a file that threads take.
  std::uint64_t part_bytes = LogParts::kPartBytes;
  /// Called now and then from the thread that calls run().
  std::function<void(const ReadProgress&)> progress;
};

/// Uncompressed files whose records are lines are cut into parts that threads take apart; run() gets the
/// records of one part after another, so that what it makes of them depends on no number of threads. Memory:
/// about 1 MB for each thread, and the longest record.
class SummaryReader {
 public:
  static constexpr unsigned kMostThreads = 16;

  /// As LogStream::open.
  static Result<SummaryReader> open(std::vector<std::string> paths, SummaryReaderOptions options);
  SummaryReader(SummaryReader&&) noexcept;
  SummaryReader& operator=(SummaryReader&&) noexcept;
  ~SummaryReader();

  std::string_view format() const;
  /// As LogStream.
  std::vector<std::string> fields() const;
  Result<FieldId> want(std::string_view name);
  /// How many fields are wanted.
  std::size_t wanted() const;
  bool only_files() const;
  /// Only records for which it holds are given out.
  Status filter(Where where);

  /// Gives every record to `take` until the end, an error (see status()) or the request to stop. A record
  /// lives until `take` returns; its `line` is empty unless that field is wanted. REQUIRES: once.
  void run(const std::function<void(const Record&)>& take);

  const LogCounts& counts() const;
  /// Records that were given out, by their weights.
  std::uint64_t given_out() const;
  const Status& status() const;

 private:
  struct Impl;
  explicit SummaryReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
