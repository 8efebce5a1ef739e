#include "weir/limiter/wait_room_when_needed.h"

namespace weir::limiter {

WaitRoom* WaitRoomWhenNeeded::get() {
  if (WaitRoom* const ready = made()) return ready;
  const std::lock_guard lock(mutex_);
  if (closed_) return nullptr;
  if (!room_) {
    room_ = std::make_shared<WaitRoom>(timers_ ? timers_ : std::make_shared<TimerQueue>(clock_));
    ready_.store(room_.get(), std::memory_order_release);
  }
  return room_.get();
}

void WaitRoomWhenNeeded::close() {
  std::shared_ptr<WaitRoom> open;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    open = room_;
  }
  if (open) open->close();
}

}  // namespace weir::limiter
