#include "weir/cli/summary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "weir/base/text.h"
#include "weir/stream/byte_source.h"

namespace weir {
namespace {

Error cant_write(const std::string& path) {
  return Error{printable(path) + ": can't be written: " + std::generic_category().message(errno)};
}

Status write_all(const std::string& path, int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) return cant_write(path);
  }
  return Done{};
}

/// What is no regular file is written to as it is: a pipe, /dev/null.
Status write_in_place(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return cant_write(path);
  Status written = write_all(path, descriptor, bytes);
  if (::close(descriptor) != 0 && written) written = cant_write(path);
  return written;
}

/// All that is there, unless it begins as no summary does. Errors name the file.
Result<std::string> read_summary_bytes(FileSource& file, const std::string& name) {
  constexpr std::size_t kBlock = std::size_t{64} << 10U;
  std::string bytes;
  bool begun = false;
  for (;;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kBlock);
    const Result<ReadOutcome> outcome = file.read({bytes.data() + had, kBlock});
    if (!outcome) return outcome.error();
    bytes.resize(had + outcome->count);
    if (outcome->count == 0) return bytes;
    if (!begun && bytes.size() >= SavedSummary::kBeginning) {
      begun = true;
      if (const Status can = SavedSummary::check_beginning(bytes); !can) {
        return Error{name + ": " + can.error().message};
      }
    }
    if (bytes.size() > SavedSummary::kMostBytes) {
      return Error{name + ": is no summary: it has more than " + std::to_string(SavedSummary::kMostBytes) +
                   " bytes"};
    }
  }
}

/// What a symbolic link leads to is replaced, and not the link.
std::string without_links(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

/// As those of a file that any program makes.
mode_t usual_mode() {
  constexpr mode_t kAll = 0666;
  const mode_t masked = ::umask(0);
  ::umask(masked);
  return kAll & ~masked;
}

/// Beside the file, which it then replaces at once.
Status replace(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string beside = path + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return cant_write(path);
  Status written = write_all(path, descriptor, bytes);
  if (written && ::fchmod(descriptor, mode) != 0) written = cant_write(path);
  if (::close(descriptor) != 0 && written) written = cant_write(path);
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) written = cant_write(path);
  if (!written) ::unlink(beside.c_str());
  return written;
}

}  // namespace

Result<SavedSummary> read_summary_file(const std::string& path) {
  Result<FileSource> file = FileSource::open(path, nullptr);
  if (!file) return file.error();
  const std::string name = path == "-" ? "standard input" : printable(path, 200);
  const Result<std::string> bytes = read_summary_bytes(*file, name);
  if (!bytes) return bytes.error();
  Result<SavedSummary> saved = SavedSummary::decode(*bytes);
  if (!saved) return Error{name + ": " + saved.error().message};
  return saved;
}

Status write_file(const std::string& path, std::string_view bytes) {
  constexpr mode_t kPermissions = 0777;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return replace(path, bytes, usual_mode());
  if (!S_ISREG(facts.st_mode)) return write_in_place(path, bytes);
  if (::access(path.c_str(), W_OK) != 0) return cant_write(path);
  return replace(without_links(path), bytes, facts.st_mode & kPermissions);
}

}  // namespace weir
