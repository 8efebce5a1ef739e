// A WaitRoom that is made when somebody first waits, so that a limiter on which nobody does has none.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "weir/limiter/wait_room.h"
#include "weir/timer_queue.h"

namespace weir::limiter {

/// All functions are safe from any thread.
class WaitRoomWhenNeeded {
 public:
  /// `timers` of its own, by `clock`, when null.
  WaitRoomWhenNeeded(std::shared_ptr<TimerQueue> timers, std::shared_ptr<Clock> clock)
      : timers_(std::move(timers)), clock_(std::move(clock)) {}

  /// Made by the first who asks. Null when it was closed before that.
  WaitRoom* get();
  /// Null when nobody has waited yet.
  WaitRoom* made() const { return ready_.load(std::memory_order_acquire); }
  /// Ends all waits, now and later.
  void close();

 private:
  const std::shared_ptr<TimerQueue> timers_;
  const std::shared_ptr<Clock> clock_;
  std::atomic<WaitRoom*> ready_{nullptr};
  std::mutex mutex_;  // guards the two below
  std::shared_ptr<WaitRoom> room_;
  bool closed_ = false;
};

}  // namespace weir::limiter
