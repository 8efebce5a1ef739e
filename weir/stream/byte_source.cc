#include "weir/stream/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace weir {
namespace {

/// A signal that arrives just before read() blocks would be missed, so that a pipe is waited for in slices.
constexpr int kWaitSliceMs = 200;

std::string reason(int error) {
  return std::generic_category().message(error);
}

/// A named pipe waits here for its writer, so that a signal may come.
int open_for_reading(const std::string& path, const std::atomic<bool>* stop) {
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const bool interrupted = descriptor < 0 && errno == EINTR;
    if (!interrupted || (stop != nullptr && stop->load(std::memory_order_relaxed))) return descriptor;
  }
}

}  // namespace

Result<FileSource> FileSource::open(const std::string& path, const std::atomic<bool>* stop) {
  const bool standard_input = path == "-";
  std::string name = standard_input ? "standard input" : path;
  const int descriptor =
      standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open_for_reading(path, stop);
  if (descriptor < 0) return Error{name + ": can't be opened: " + reason(errno)};
  FileSource source(std::move(name), descriptor, stop);
  if (const Status seen = source.inspect(); !seen) return seen.error();
  return source;
}

Status FileSource::inspect() {
  struct stat facts {};
  if (::fstat(descriptor_, &facts) != 0) return failure("can't be looked at");
  if (S_ISDIR(facts.st_mode)) return Error{name_ + ": is a directory; name the files in it"};
  regular_ = S_ISREG(facts.st_mode);
  pollable_ = !regular_;
  if (!regular_) return Done{};
  start_ = std::max<std::int64_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
  size_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, facts.st_size - start_));
  modified_ = saturating_add(facts.st_mtim.tv_nsec, facts.st_mtim.tv_sec * kSecond);
  // Advice only: a file system that ignores it changes nothing.
  static_cast<void>(::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL));
  return Done{};
}

FileSource::FileSource(FileSource&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      stop_(other.stop_),
      regular_(other.regular_),
      pollable_(other.pollable_),
      start_(other.start_),
      size_(other.size_),
      consumed_(other.consumed_),
      modified_(other.modified_) {}

FileSource::~FileSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Error FileSource::failure(std::string_view what) const {
  return Error{name_ + ": " + std::string(what) + ": " + reason(errno)};
}

/// False when told to stop instead.
Result<bool> FileSource::wait_for_bytes() const {
  while (!should_stop()) {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kWaitSliceMs);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return failure("can't be waited for");
  }
  return false;
}

Result<ReadOutcome> FileSource::read(std::span<char> into) {
  for (;;) {
    if (should_stop()) return ReadOutcome{.stopped = true};
    if (pollable_ && stop_ != nullptr) {
      const Result<bool> ready = wait_for_bytes();
      if (!ready) return ready.error();
      if (!*ready) return ReadOutcome{.stopped = true};
    }
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
    if (count >= 0) {
      consumed_ += static_cast<std::uint64_t>(count);
      return ReadOutcome{.count = static_cast<std::size_t>(count)};
    }
    // Standard input that another program has made non-blocking.
    if (errno == EAGAIN) {
      const Result<bool> ready = wait_for_bytes();
      if (!ready) return ready.error();
      continue;
    }
    if (errno != EINTR) return failure("can't be read");
  }
}

bool FileSource::rewind() {
  if (!regular_ || ::lseek(descriptor_, start_, SEEK_SET) < 0) return false;
  consumed_ = 0;
  return true;
}

Result<ReadOutcome> MemorySource::read(std::span<char> into) {
  const std::size_t count = std::min({into.size(), piece_, bytes_.size() - position_});
  if (count > 0) std::memcpy(into.data(), bytes_.data() + position_, count);
  position_ += count;
  return ReadOutcome{.count = count};
}

bool MemorySource::rewind() {
  position_ = 0;
  return true;
}

}  // namespace weir
