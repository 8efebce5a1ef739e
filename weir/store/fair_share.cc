#include "weir/store/fair_share.h"

#include <mutex>

namespace weir::store {

std::size_t FairShare::beyond(const Room& room) const {
  return room.used > part(room) ? room.used - part(room) : 0;
}

void FairShare::divide() {
  part_ = open_ == 0 ? 0 : total_ / (2 * open_);
  shared_total_ = total_ - open_ * part_;
  shared_used_ = 0;
  for (const Room& room : rooms_) shared_used_ += beyond(room);
}

void FairShare::set_open(std::uint32_t room, bool open) {
  if (rooms_[room].open == open) return;
  rooms_[room].open = open;
  open_ += open ? 1 : -std::size_t{1};
  divide();
}

void FairShare::open(std::uint32_t room) {
  const std::lock_guard lock(latch_);
  if (room >= rooms_.size()) rooms_.resize(room + 1);
  set_open(room, true);
}

void FairShare::close(std::uint32_t room) {
  const std::lock_guard lock(latch_);
  set_open(room, false);
}

void FairShare::change(Room& room, std::size_t used) {
  shared_used_ -= beyond(room);
  used_.store(used_.load(std::memory_order_relaxed) - room.used + used, std::memory_order_relaxed);
  room.used = used;
  shared_used_ += beyond(room);
}

bool FairShare::take(std::uint32_t room, std::size_t amount) {
  const std::lock_guard lock(latch_);
  return take_latched(rooms_[room], amount);
}

bool FairShare::has(std::uint32_t room, std::size_t amount) {
  const std::lock_guard lock(latch_);
  const std::size_t before = rooms_[room].used;
  if (!take_latched(rooms_[room], amount)) return false;
  change(rooms_[room], before);
  return true;
}

bool FairShare::take_latched(Room& taker, std::size_t amount) {
  if (amount > total_ - used_.load(std::memory_order_relaxed)) return false;
  const std::size_t before = taker.used;
  const std::size_t shared_before = shared_used_;
  change(taker, before + amount);
  if (shared_used_ <= shared_total_ || shared_used_ == shared_before) return true;
  change(taker, before);
  return false;
}

void FairShare::give(std::uint32_t room, std::size_t amount) {
  const std::lock_guard lock(latch_);
  change(rooms_[room], rooms_[room].used - amount);
}

void FairShare::move(std::uint32_t from, std::uint32_t to, std::size_t amount) {
  if (from == to) return;
  const std::lock_guard lock(latch_);
  change(rooms_[from], rooms_[from].used - amount);
  change(rooms_[to], rooms_[to].used + amount);
}

bool FairShare::helps(std::uint32_t holder, std::uint32_t wanting) const {
  if (holder == wanting) return true;
  const std::lock_guard lock(latch_);
  return beyond(rooms_[holder]) != 0;
}

}  // namespace weir::store
