// The progress line of long work: only on a terminal, only when it lasts, and gone when it is done.
#pragma once

#include <chrono>
#include <string>

#include "weir/replay/input.h"

namespace weir {

/// "  45%  1.2 GB of 2.7 GB  812,345 records/s  12s left", as far as it is known after `elapsed`.
std::string progress_line(const InputProgress& progress, Nanos elapsed);

class Progress {
 public:
  /// Shows nothing unless standard error is a terminal.
  Progress();
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(const InputProgress& progress);
  /// Takes the line away, if there is one.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace weir
