// The files that a stream reads one after another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/byte_source.h"

namespace weir {

/// One of them, open. Its bytes are decompressed.
struct LogInput {
  std::string name;
  std::unique_ptr<ByteSource> bytes = nullptr;
  bool regular = false;
  std::optional<Nanos> modified = std::nullopt;
  /// Whether it is a part of a file that does not begin where the file does.
  bool middle = false;
};

class LogInputs {
 public:
  /// "-" is standard input. Errors name the first path that can't be read; pipes are not opened before their
  /// turn.
  static Result<LogInputs> of_paths(std::vector<std::string> paths, const std::atomic<bool>* stop);
  /// `text`, in pieces of at most `piece` bytes.
  static LogInputs of_memory(std::string_view text, std::size_t piece);

  /// The one that is open already.
  static LogInputs of_input(LogInput input);

  /// The next one; nothing after the last.
  Result<std::optional<LogInput>> next();
  bool only_files() const { return only_files_; }
  /// Of all files as they are on disk; 0 when a pipe is among them.
  std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  std::vector<std::string> paths_;
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<LogInput> open_;
  std::optional<std::string_view> memory_;
  std::size_t piece_ = 0;
  std::size_t next_path_ = 0;
  bool only_files_ = true;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace weir
