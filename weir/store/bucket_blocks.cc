#include "weir/store/bucket_blocks.h"

#include <new>

#include "weir/limit/sliding_log.h"

namespace weir::store {

std::size_t BucketBlocks::bytes_of(const Block& block) {
  return Arena::bytes(0) + (block.ring_order == 0 ? 0 : Arena::bytes(block.ring_order));
}

std::span<LogEntry> BucketBlocks::ring(const Block& block) const {
  if (block.ring_order == 0) return {};
  return {reinterpret_cast<LogEntry*>(arena_.at(block.ring)),
          Arena::bytes(block.ring_order) / sizeof(LogEntry)};
}

std::optional<BucketBlocks::Handle> BucketBlocks::make(std::uint32_t room) {
  if (!share_.take(room, Arena::bytes(0))) return std::nullopt;
  const auto handle = arena_.allocate(0);
  if (handle) {
    new (arena_.at(*handle)) Block{};
  } else {
    share_.give(room, Arena::bytes(0));
  }
  return handle;
}

void BucketBlocks::drop(Handle handle, std::uint32_t room) {
  const Block& dropped = block(handle);
  const std::size_t bytes = bytes_of(dropped);
  if (dropped.ring_order != 0) arena_.free(dropped.ring, dropped.ring_order);
  arena_.free(handle, 0);
  share_.give(room, bytes);
}

void BucketBlocks::move(Handle handle, std::uint32_t from_room, std::uint32_t to_room) {
  share_.move(from_room, to_room, bytes_of(block(handle)));
}

State BucketBlocks::load(Handle handle) const {
  const Block& loaded = block(handle);
  return {.word = loaded.word, .ring = ring(loaded)};
}

bool BucketBlocks::grow(Handle handle, std::uint32_t room, State& state) {
  Block& grown = block(handle);
  if (grown.ring_order >= Arena::kMaxOrder) return false;
  const std::uint32_t order = grown.ring_order + 1;
  if (!share_.take(room, Arena::bytes(order))) return false;
  const auto larger = arena_.allocate(order);
  if (!larger) {
    share_.give(room, Arena::bytes(order));
    return false;
  }
  const std::uint32_t old_ring = grown.ring;
  const std::uint32_t old_order = grown.ring_order;
  grown.ring = *larger;
  grown.ring_order = order;
  SlidingLog::move_to(state, ring(grown));
  grown.word = state.word;
  if (old_order != 0) {
    arena_.free(old_ring, old_order);
    share_.give(room, Arena::bytes(old_order));
  }
  return true;
}

}  // namespace weir::store
