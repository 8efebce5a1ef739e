#include "weir/cli/signals.h"

#include <unistd.h>
#include <csignal>

namespace weir {
namespace {

// The program's only global state: a signal handler has no other way to tell anybody. Both are lock-free and
// thereby safe in a handler.
std::atomic<bool> stop{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr int kSignalExitBase = 128;

extern "C" void on_stop_signal(int signal) {
  if (first_signal.exchange(signal) != 0) ::_exit(kSignalExitBase + signal);
  stop.store(true);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop_signal;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a read that waits for a pipe comes back.
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

const std::atomic<bool>& stop_flag() {
  return stop;
}

int signal_exit_code() {
  const int signal = first_signal.load();
  return signal == 0 ? 0 : kSignalExitBase + signal;
}

}  // namespace weir
