#include "weir/stream/file_range.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace weir {

Result<std::shared_ptr<const SharedFile>> SharedFile::open(const std::string& path) {
  const bool standard_input = path == "-";
  // Opening a named pipe would wait for its writer, and closing it again would end the writer.
  struct stat before {};
  if (!standard_input && ::stat(path.c_str(), &before) == 0 && !S_ISREG(before.st_mode)) {
    return std::shared_ptr<const SharedFile>();
  }
  std::string name = standard_input ? "standard input" : path;
  const int descriptor = standard_input ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return Error{name + ": can't be opened: " + std::generic_category().message(errno)};
  const std::shared_ptr<SharedFile> file(new SharedFile(std::move(name), descriptor));
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) {
    return Error{file->name_ + ": can't be looked at: " + std::generic_category().message(errno)};
  }
  if (!S_ISREG(facts.st_mode)) return std::shared_ptr<const SharedFile>();
  const std::int64_t start = std::max<std::int64_t>(0, ::lseek(descriptor, 0, SEEK_CUR));
  file->start_ = static_cast<std::uint64_t>(start);
  file->size_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, facts.st_size - start));
  return std::shared_ptr<const SharedFile>(file);
}

SharedFile::~SharedFile() {
  ::close(descriptor_);
}

Result<std::size_t> SharedFile::read_at(std::uint64_t offset, std::span<char> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto at = static_cast<off_t>(start_ + offset + done);
    const ssize_t count = ::pread(descriptor_, into.data() + done, into.size() - done, at);
    if (count == 0) break;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      return Error{name_ + ": can't be read: " + std::generic_category().message(errno)};
    }
  }
  return done;
}

Result<ReadOutcome> RangeSource::read(std::span<char> into) {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return ReadOutcome{.stopped = true};
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - at_));
  const Result<std::size_t> count = file_->read_at(at_, into.first(wanted));
  if (!count) return count.error();
  at_ += *count;
  return ReadOutcome{.count = *count};
}

bool RangeSource::rewind() {
  at_ = begin_;
  return true;
}

}  // namespace weir
