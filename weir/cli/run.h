// The command line: finds the command, runs it, and turns what came of it into an exit code.
#pragma once

namespace weir {

/// 0 done, 1 failed or nothing parsed, 2 usage, 130 or 143 after a signal.
int run_command_line(int argc, const char* const* argv);

}  // namespace weir
