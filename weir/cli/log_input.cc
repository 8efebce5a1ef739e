#include "weir/cli/log_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/signals.h"

namespace weir {
namespace {

std::string names_of(const std::vector<std::string>& paths) {
  if (paths.empty() || paths.front() == "-") return "standard input";
  std::string name = printable(paths.front());
  if (paths.size() > 1) name += fmt::format(" and {} more", paths.size() - 1);
  return name;
}

}  // namespace

bool reads_standard_input(const std::vector<std::string>& paths) {
  return paths.empty() || std::find(paths.begin(), paths.end(), "-") != paths.end();
}

Status prepare_logs(const std::vector<std::string>& paths, LogOptions& log) {
  if (reads_standard_input(paths) && !can_read_standard_input()) {
    return Error{"standard input: is not open for reading; name a log, or give one through a pipe"};
  }
  catch_stop_signals();
  log.stop = &stop_flag();
  return Done{};
}

int opening_exit_code(const Error& error) {
  const int code = signal_exit_code();
  return code != 0 ? code : fail(kExitFailed, error.message);
}

void note_format(const std::vector<std::string>& paths, const LogOptions& log, std::string_view format) {
  if (log.format == "auto" && !log.lines_only) note(fmt::format("{} is read as {}", names_of(paths), format));
}

int log_exit_code(int written, const Status& read, std::uint64_t records, std::uint64_t malformed) {
  if (written != kExitDone) return written;
  if (const int code = signal_exit_code(); code != 0) return code;
  if (!read) return fail(kExitFailed, read.error().message);
  return records > 0 && malformed == records ? kExitFailed : kExitDone;
}

}  // namespace weir
