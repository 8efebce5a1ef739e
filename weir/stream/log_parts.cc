#include "weir/stream/log_parts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "weir/stream/decoders.h"

namespace weir {
namespace {

/// Enough to know compressed data by.
constexpr std::size_t kHeadBytes = 64;

Result<bool> is_compressed(const SharedFile& file) {
  std::array<char, kHeadBytes> head{};
  const Result<std::size_t> count = file.read_at(0, head);
  if (!count) return count.error();
  const Compression found = recognise({head.data(), *count});
  if (found == Compression::kUndecided) return *count == kHeadBytes;
  return found != Compression::kNone;
}

}  // namespace

bool can_be_split(std::string_view format) {
  return format == "lines" || format == "combined" || format == "common" || format == "json" ||
         format.starts_with("regex:");
}

Result<std::unique_ptr<LogParts>> LogParts::of_paths(const std::vector<std::string>& paths,
                                                     std::uint64_t part_bytes) {
  std::unique_ptr<LogParts> parts(new LogParts);
  parts->part_bytes_ = std::max<std::uint64_t>(1, part_bytes);
  for (const std::string& path : paths) {
    const auto file = SharedFile::open(path);
    if (!file) return file.error();
    if (!*file) return std::unique_ptr<LogParts>();
    const Result<bool> compressed = is_compressed(**file);
    if (!compressed) return compressed.error();
    if (*compressed) return std::unique_ptr<LogParts>();
    parts->total_bytes_ += (*file)->size();
    parts->files_.push_back(*file);
  }
  return parts;
}

Result<std::optional<LogPart>> LogParts::next() {
  const std::lock_guard lock(mutex_);
  while (file_ < files_.size() && at_ >= files_[file_]->size()) {
    ++file_;
    at_ = 0;
  }
  if (file_ == files_.size()) return std::optional<LogPart>();
  const auto& file = files_[file_];
  Result<std::uint64_t> end = line_end_after(*file, std::min(file->size(), at_ + part_bytes_));
  if (!end) return end.error();
  const LogPart part{file, at_, *end, number_++};
  at_ = *end;
  return std::optional(part);
}

/// Where the line ends that the byte before `offset` belongs to. Each byte is looked at once only, since the
/// next part begins there, however long a line is.
Result<std::uint64_t> LogParts::line_end_after(const SharedFile& file, std::uint64_t offset) {
  std::array<char, 4096> bytes{};
  for (std::uint64_t at = offset - 1; at < file.size();) {
    const Result<std::size_t> count = file.read_at(at, bytes);
    if (!count) return count.error();
    if (*count == 0) break;
    if (const void* newline = std::memchr(bytes.data(), '\n', *count); newline != nullptr) {
      return at + static_cast<std::uint64_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
    }
    at += *count;
  }
  return file.size();
}

}  // namespace weir
