// What does not fit a slot's word: states of two and three words, and the rings of logs. Both come from one
// arena, and each room has its part of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "weir/limit/state.h"
#include "weir/store/arena.h"
#include "weir/store/fair_share.h"

namespace weir::store {

/// Of each block, only the holder of its slot's latch may look or change.
class BucketBlocks {
 public:
  /// Names a block in a slot's word.
  using Handle = std::uint32_t;

  BucketBlocks(std::size_t bytes) : arena_(bytes), share_(bytes / Arena::kBytesPerUnit * Arena::kUnit) {}

  /// What a charged bucket of so many words takes at the least.
  static constexpr std::size_t least_bytes(unsigned words, bool log) {
    return (words > 1 ? Arena::bytes(0) : 0) + (log ? Arena::bytes(1) : 0);
  }

  /// A block with a fresh state and no ring; nothing when the room can have no more.
  std::optional<Handle> make(std::uint32_t room);
  /// Frees the block and its ring.
  void drop(Handle handle, std::uint32_t room);
  void move(Handle handle, std::uint32_t from_room, std::uint32_t to_room);

  State load(Handle handle) const;
  /// REQUIRES: the state came from load(handle), and its ring is as load or grow left it.
  void store(Handle handle, const State& state) { block(handle).word = state.word; }

  /// Lends the state a ring of twice the entries; says whether there was one to be had. Entries are copied
  /// while the bucket is latched: in all, less than one copy for each that was ever appended.
  bool grow(Handle handle, std::uint32_t room, State& state);

  FairShare& share() { return share_; }
  const FairShare& share() const { return share_; }

 private:
  struct Block {
    std::array<std::uint64_t, 3> word;
    std::uint32_t ring;
    std::uint32_t ring_order;  // 0: no ring
  };
  static_assert(sizeof(Block) == Arena::kUnit);

  Block& block(Handle handle) const { return *reinterpret_cast<Block*>(arena_.at(handle)); }
  static std::size_t bytes_of(const Block& block);
  std::span<LogEntry> ring(const Block& block) const;

  Arena arena_;
  FairShare share_;
};

}  // namespace weir::store
