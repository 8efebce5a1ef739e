// SIGINT and SIGTERM: the first asks to stop and to print what was found, the second quits at once.
#pragma once

#include <atomic>

namespace weir {

/// From now on both signals set stop_flag().
void catch_stop_signals();
/// True from the first signal on.
const std::atomic<bool>& stop_flag();
/// The exit code that the first signal asks for, 130 or 143; 0 when none came.
int signal_exit_code();

}  // namespace weir
