#include "weir/stream/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace weir {
namespace {

constexpr std::size_t kWriteBuffer = std::size_t{256} << 10U;

std::string temporary_folder() {
  // Nothing in this program changes the environment.
  const char* named = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

/// A file without a name; where the file system has no such thing, one whose name is gone at once.
int open_unnamed(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
  std::string name = folder + "/weir-sort-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

Result<SpillFile> SpillFile::create(const std::string& folder) {
  const std::string where = folder.empty() ? temporary_folder() : folder;
  SpillFile file(where, open_unnamed(where));
  if (file.descriptor_ < 0) return file.failure("no temporary file for sorting can be made");
  return file;
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_) {}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error SpillFile::failure(std::string_view what) const {
  return Error{folder_ + ": " + std::string(what) + ": " + std::generic_category().message(errno)};
}

Status SpillFile::append(TimedBytes event) {
  const auto size = static_cast<std::uint32_t>(event.bytes.size());
  char header[kEventHeader];
  std::memcpy(header, &event.time, sizeof(event.time));
  std::memcpy(header + sizeof(event.time), &size, sizeof(size));
  buffer_.append(header, kEventHeader).append(event.bytes);
  end_ += kEventHeader + event.bytes.size();
  return buffer_.size() >= kWriteBuffer ? flush() : Done{};
}

Result<SpillRun> SpillFile::end_run() {
  if (const Status flushed = flush(); !flushed) return flushed.error();
  buffer_.shrink_to_fit();
  return SpillRun{begin_, end_};
}

Status SpillFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("the temporary file for sorting can't be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
  return Done{};
}

Status SpillFile::read(std::uint64_t at, char* into, std::size_t size) const {
  while (size > 0) {
    const ssize_t count = ::pread(descriptor_, into, size, static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("the temporary file for sorting can't be read");
    if (count == 0) return Error{folder_ + ": the temporary file for sorting has become shorter"};
    at += static_cast<std::uint64_t>(count);
    into += count;
    size -= static_cast<std::size_t>(count);
  }
  return Done{};
}

Result<bool> SpillReader::advance() {
  if (used_ == buffer_.size() && run_.begin == run_.end) return false;
  if (const Status held = hold(SpillFile::kEventHeader); !held) return held.error();
  std::uint32_t size = 0;
  std::memcpy(&event_.time, buffer_.data() + used_, sizeof(event_.time));
  std::memcpy(&size, buffer_.data() + used_ + sizeof(event_.time), sizeof(size));
  used_ += SpillFile::kEventHeader;
  if (const Status held = hold(size); !held) return held.error();
  event_.bytes = {buffer_.data() + used_, size};
  used_ += size;
  return true;
}

/// Makes sure that `size` bytes from used_ on are in the buffer.
Status SpillReader::hold(std::size_t size) {
  const std::size_t left = buffer_.size() - used_;
  if (left >= size) return Done{};
  const std::uint64_t unread = run_.end - run_.begin;
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(unread, std::max(size - left, read_ahead_)));
  if (left + wanted < size) return Error{"the temporary file for sorting ends within an event"};
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
  buffer_.resize(left + wanted);
  used_ = 0;
  if (Status read = file_->read(run_.begin, buffer_.data() + left, wanted); !read) return read;
  run_.begin += wanted;
  return Done{};
}

}  // namespace weir
