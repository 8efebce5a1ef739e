// The latest of the instants that changed something.
#pragma once

#include <atomic>

#include "weir/base/time.h"

namespace weir::limiter {

/// Never goes back. All functions are safe from any thread.
class LatestInstant {
 public:
  explicit LatestInstant(Nanos start) : latest_(start) {}

  Nanos get() const { return latest_.load(std::memory_order_relaxed); }
  void note(Nanos changed_at) {
    Nanos latest = get();
    while (changed_at > latest &&
           !latest_.compare_exchange_weak(latest, changed_at, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<Nanos> latest_;
};

}  // namespace weir::limiter
