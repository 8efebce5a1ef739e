#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/signals.h"
#include "weir/cli/summary.h"

namespace weir {
namespace {

bool reads_standard_input(const std::vector<std::string>& paths) {
  return paths.empty() || std::find(paths.begin(), paths.end(), "-") != paths.end();
}

std::string names_of(const std::vector<std::string>& paths) {
  if (paths.empty() || paths.front() == "-") return "standard input";
  std::string name = printable(paths.front());
  if (paths.size() > 1) name += fmt::format(" and {} more", paths.size() - 1);
  return name;
}

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

}  // namespace

OpenedReader open_reader(SummaryPlan& plan, Progress& progress) {
  if (reads_standard_input(plan.paths) && !can_read_standard_input()) {
    return {
        {},
        fail(kExitFailed, "standard input: is not open for reading; name a log, or give one through a pipe")};
  }
  catch_stop_signals();
  plan.log.stop = &stop_flag();
  SummaryReaderOptions options{.log = plan.log, .threads = plan.threads, .progress = {}};
  options.progress = [&progress](const ReadProgress& now) {
    progress.update({.bytes = now.bytes, .total_bytes = now.total_bytes, .records = now.records});
  };
  Result<SummaryReader> reader = SummaryReader::open(plan.paths, std::move(options));
  if (!reader) {
    // Opening waits for the writer of a named pipe, until a signal comes.
    const int code = signal_exit_code();
    return {{}, code != 0 ? code : fail(kExitFailed, reader.error().message)};
  }
  if (plan.log.format == "auto" && !plan.log.lines_only) {
    note(fmt::format("{} is read as {}", names_of(plan.paths), reader->format()));
  }
  return {std::move(reader).value(), 0};
}

void note_skipped(const SummaryReader& reader) {
  const LogCounts& counts = reader.counts();
  if (counts.malformed == 0) return;
  std::string sentence =
      fmt::format("{} of {} records {} malformed and skipped", with_thousands(counts.malformed),
                  with_thousands(counts.records), counts.malformed == 1 ? "is" : "are");
  if (counts.too_long > 0)
    sentence += fmt::format(" ({} longer than --max-line)", with_thousands(counts.too_long));
  note(fmt::format("{}; the first is {}: {}", sentence, printable(counts.malformed_where, 200),
                   printable(counts.malformed_example)));
}

int reader_exit_code(const SummaryReader& reader, int written) {
  if (written != kExitDone) return written;
  if (const int code = signal_exit_code(); code != 0) return code;
  if (!reader.status()) return fail(kExitFailed, reader.status().error().message);
  const LogCounts& counts = reader.counts();
  return counts.records > 0 && counts.malformed == counts.records ? kExitFailed : kExitDone;
}

Status write_file(const std::string& path, std::string_view bytes) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) return write_in_place(path, bytes);
  // Beside it, so that it can take its place at once.
  std::string beside = path + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return cant_write(path);
  constexpr mode_t kMode = 0644;
  Status written = write_all(path, descriptor, bytes);
  if (written && ::fchmod(descriptor, kMode) != 0) written = cant_write(path);
  if (::close(descriptor) != 0 && written) written = cant_write(path);
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) written = cant_write(path);
  if (!written) ::unlink(beside.c_str());
  return written;
}

}  // namespace weir
