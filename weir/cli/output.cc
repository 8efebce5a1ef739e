#include "weir/cli/output.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

#include "weir/cli/command.h"

namespace weir {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;

}  // namespace

void Output::write(std::string_view text) {
  if (text.size() >= kBufferBytes) {
    flush();
    put(text);
    return;
  }
  if (failed()) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  put(buffer_);
  buffer_.clear();
}

void Output::put(std::string_view rest) {
  while (!rest.empty() && !failed()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

int Output::finish() {
  flush();
  if (error_ == 0) return kExitDone;
  if (error_ == EPIPE) return kExitClosedPipe;
  return fail(kExitFailed, "standard output: can't be written: " + std::generic_category().message(error_));
}

void guard_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Opened the wrong way round on purpose.
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

bool can_read_standard_input() {
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

}  // namespace weir
