// The requests of a log in the order of their times, ready to be decided.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/result.h"
#include "weir/limit/state.h"
#include "weir/replay/event.h"
#include "weir/stream/log_stream.h"

namespace weir {

/// How far the work has come.
struct InputProgress {
  std::uint64_t bytes = 0;        // read from the files
  std::uint64_t total_bytes = 0;  // 0 when nobody knows
  std::uint64_t records = 0;      // read
  std::uint64_t given_out = 0;    // events that have come out of the sorter
  bool reading = true;            // false once everything has been read
};

struct InputOptions {
  /// Where a dimension comes from, if not from the field of its own name. "cost" may be among them.
  std::map<std::string, std::string> fields;
  /// How much later than a later one a record of a pipe may come.
  Nanos lateness = 5 * kMinute;
  /// Bytes that the sorter may hold; a file's surplus goes to disk, a pipe's oldest go out early.
  std::size_t sort_memory = std::size_t{1} << 30U;
  /// Called every some thousand records.
  std::function<void(const InputProgress&)> progress;
};

/// What the log was, as far as it has been read.
struct InputSummary {
  std::string format{};
  std::uint64_t records = 0;      // all that stood in the log: requests + malformed
  std::uint64_t malformed = 0;    // did not parse, or have no time, or a cost that is none
  std::uint64_t too_long = 0;     // of these, longer than a record may be
  std::string malformed_where{};  // the first of them: "access.log:8899"
  std::string malformed_example{};
  std::uint64_t reordered = 0;     // came with an earlier time than the record just before
  std::uint64_t out_of_order = 0;  // came with an earlier time than some record before
  std::uint64_t late = 0;          // of these, too late to be put in order
  Nanos worst_lateness = 0;
  Nanos lateness = 0;  // the buffer's; 0 for files, which are sorted completely
  std::optional<Nanos> from{};
  std::optional<Nanos> to{};
  /// Dimensions that this format has no field for.
  std::vector<std::string> absent{};
};

class ReplayInput {
 public:
  /// Takes `dimensions` (and `cost`, where the log has it) from each record of `log`.
  /// In access logs `endpoint` is the path unless `fields` says otherwise; every other dimension is the field
  /// of its own name.
  /// Errors: `fields` names a field that the format does not have, or a dimension that nobody asks for.
  static Result<ReplayInput> open(LogStream log, const std::vector<std::string>& dimensions,
                                  InputOptions options);

  ReplayInput(ReplayInput&&) noexcept;
  ReplayInput& operator=(ReplayInput&&) noexcept;
  ~ReplayInput();

  /// The next request by time, valid until the next call; nothing at the end. A log of regular files is read
  /// to its end by the first call. Errors: the format has no times; the disk is full. What has been read
  /// before a read error is still given out; see status().
  Result<std::optional<Event>> next();

  /// Not ok after a read error.
  const Status& status() const;
  /// Whether no pipe is read, so that nothing has to be waited for.
  bool only_files() const;
  InputSummary summary() const;
  /// A frame that holds every time of the log. REQUIRES: next() has been called.
  TimeFrame frame() const;
  /// How many events there are at the most, if that is known yet.
  std::optional<std::uint64_t> events() const;

 private:
  struct Impl;
  explicit ReplayInput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
