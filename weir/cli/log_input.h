// The logs that a command reads: what is done before they are opened, and what is said of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/log_stream.h"

namespace weir {

/// Whether standard input is among them: "-", or no path.
bool reads_standard_input(const std::vector<std::string>& paths);

/// From now on a signal stops the reading of `log`. Errors: standard input is to be read, and can't be.
Status prepare_logs(const std::vector<std::string>& paths, LogOptions& log);
/// The exit code of a command whose logs could not be opened, with the reason on standard error unless a
/// signal ended the waiting for the writer of a named pipe.
int opening_exit_code(const Error& error);
/// Says on standard error which format `auto` chose, where it makes a difference.
void note_format(const std::vector<std::string>& paths, const LogOptions& log, std::string_view format);

/// What comes after all has been printed: `written`, a signal, an error of reading, or nothing that parsed.
int log_exit_code(int written, const Status& read, std::uint64_t records, std::uint64_t malformed);

}  // namespace weir
