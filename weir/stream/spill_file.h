// Sorted runs of events in one unnamed temporary file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/time_order.h"

namespace weir {

/// Where a run lies in the file.
struct SpillRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The file has no name, so that nothing is left of it however the program ends. An event is written as its
/// time (8 bytes), its size (4 bytes), both as this machine has them, and its bytes.
class SpillFile {
 public:
  static constexpr std::size_t kEventHeader = 12;

  /// In `folder`, or in TMPDIR or /tmp when it is empty.
  static Result<SpillFile> create(const std::string& folder);

  SpillFile(SpillFile&& other) noexcept;
  SpillFile& operator=(SpillFile&&) = delete;
  ~SpillFile();

  void begin_run() { begin_ = end_; }
  /// An error when the disk is full.
  Status append(TimedBytes event);
  Result<SpillRun> end_run();

  /// Reads exactly `size` bytes at `at`.
  Status read(std::uint64_t at, char* into, std::size_t size) const;

 private:
  SpillFile(std::string folder, int descriptor) : folder_(std::move(folder)), descriptor_(descriptor) {}
  Status flush();
  Error failure(std::string_view what) const;

  std::string folder_;
  int descriptor_;
  std::string buffer_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;  // buffered bytes included
};

/// Reads a run from front to back.
class SpillReader {
 public:
  /// Reads about `read_ahead` bytes at a time. `file` must outlive it.
  SpillReader(const SpillFile& file, SpillRun run, std::size_t read_ahead)
      : file_(&file), run_(run), read_ahead_(read_ahead) {}

  /// Goes to the next event (the first, at first); false at the end of the run.
  Result<bool> advance();
  /// REQUIRES: advance() gave true. The view is valid until the next advance().
  const TimedBytes& event() const { return event_; }

 private:
  Status hold(std::size_t size);

  const SpillFile* file_;
  SpillRun run_;  // begin moves on to what has not been read yet
  std::size_t read_ahead_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  TimedBytes event_{};
};

}  // namespace weir
