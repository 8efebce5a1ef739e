// Files cut into parts of whole lines, which several threads can read at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/file_range.h"

namespace weir {

/// Whether a record of this format is one line, and means the same wherever it stands. csv and tsv have a
/// header and syslog a year that goes on from line to line.
bool can_be_split(std::string_view format);

/// Some lines of a file.
struct LogPart {
  std::shared_ptr<const SharedFile> file;
  std::uint64_t begin;
  std::uint64_t end;
  /// Counts the parts of all files.
  std::uint64_t number;
};

class LogParts {
 public:
  /// About the size of a part. It does not depend on the machine, and nothing that is printed depends on it.
  static constexpr std::uint64_t kPartBytes = std::uint64_t{512} << 10U;

  /// Nothing where one of the paths is no regular file, or compressed. Errors name a file that can't be read.
  static Result<std::unique_ptr<LogParts>> of_paths(const std::vector<std::string>& paths,
                                                    std::uint64_t part_bytes = kPartBytes);

  /// The next part in the order of the files; nothing after the last. May be called from several threads.
  Result<std::optional<LogPart>> next();
  /// Of all files together.
  std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  LogParts() = default;
  Result<std::uint64_t> line_end_after(const SharedFile& file, std::uint64_t offset);

  std::uint64_t part_bytes_ = kPartBytes;
  std::uint64_t total_bytes_ = 0;
  std::vector<std::shared_ptr<const SharedFile>> files_;

  std::mutex mutex_;
  std::size_t file_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace weir
