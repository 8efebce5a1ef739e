// FairShare: something that runs out (places of the table, bytes of the arena), of which no room can take so
// much that another goes without.
//
// Half of the total is divided evenly among the open rooms and kept for them; the other half is whoever's
// comes first:
//
//   total   |<-- room A -->|<-- room B -->|<--------- shared ---------->|
//
// A room draws on its own part first and on the shared one for what goes beyond. When rooms open or close the
// parts change at once, while what rooms hold can't: until it has flowed off, `take` may find nothing left
// although a room is below its part. The sum of what is held never exceeds the total.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/store/spin.h"

namespace weir::store {

class FairShare {
 public:
  explicit FairShare(std::size_t total) : total_(total), shared_total_(total) {}

  /// Rooms are small numbers. An open one has a part of its own, a closed one draws on the shared part.
  void open(std::uint32_t room);
  void close(std::uint32_t room);

  /// Takes all of `amount`, or nothing.
  bool take(std::uint32_t room, std::size_t amount);
  /// Whether take() would.
  bool has(std::uint32_t room, std::size_t amount);
  void give(std::uint32_t room, std::size_t amount);
  /// What `from` holds is now `to`'s, even where `to` could not have taken it: the total stays the same.
  void move(std::uint32_t from, std::uint32_t to, std::size_t amount);
  /// Whether `wanting`, refused now, gains from what `holder` gives back.
  bool helps(std::uint32_t holder, std::uint32_t wanting) const;

  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t total() const { return total_; }

 private:
  struct Room {
    std::size_t used = 0;
    bool open = false;
  };
  std::size_t part(const Room& room) const { return room.open ? part_ : 0; }
  std::size_t beyond(const Room& room) const;
  void divide();
  void set_open(std::uint32_t room, bool open);
  void change(Room& room, std::size_t used);
  bool take_latched(Room& taker, std::size_t amount);

  const std::size_t total_;
  mutable SpinLatch latch_;  // guards what follows; used_ is also read without
  std::vector<Room> rooms_;
  std::size_t open_ = 0;
  std::size_t part_ = 0;
  std::size_t shared_total_;
  /// The sum of what rooms hold beyond their part.
  std::size_t shared_used_ = 0;
  std::atomic<std::size_t> used_{0};
};

}  // namespace weir::store
