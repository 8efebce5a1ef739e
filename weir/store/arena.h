// Arena: a fixed piece of memory cut into blocks of powers of two, by the buddy system (Knuth, The Art of
// Computer Programming, volume 1, 2.5). A block of order n has 2^n units and starts at a multiple of its
// size; two such that make up one of the next order are buddies, and when both are free they are one again.
// So what many small blocks used can become a large one, which free lists by size could never do.
//
// Nothing here calls the system: pages come when they are first touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "weir/store/spin.h"
#include "weir/store/zero_pages.h"

namespace weir::store {

class Arena {
 public:
  static constexpr std::size_t kUnit = 32;
  /// The largest block: 2^20 units, 32 MiB.
  static constexpr unsigned kMaxOrder = 20;
  /// A unit and what we note about it.
  static constexpr std::size_t kBytesPerUnit = kUnit + 1;

  static constexpr std::size_t bytes(unsigned order) { return kUnit << order; }

  /// Uses at most `bytes`. Throws std::bad_alloc when the system refuses.
  explicit Arena(std::size_t bytes);

  /// The index of the block's first unit; nothing when no block is large enough. Its bytes have any value.
  std::optional<std::uint32_t> allocate(unsigned order);
  /// REQUIRES: allocate(order) gave `unit`, and it was not freed since.
  void free(std::uint32_t unit, unsigned order);

  std::byte* at(std::uint32_t unit) const { return units_.data() + unit * kUnit; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// At the start of each free block.
  struct Link {
    std::uint32_t previous;
    std::uint32_t next;
  };
  Link& link(std::uint32_t unit) const;
  /// Of a free block's first unit its order + 1, and 0 for every other unit.
  std::uint8_t& mark(std::uint32_t unit) const;
  void push(std::uint32_t unit, unsigned order);
  void unlink(std::uint32_t unit, unsigned order);

  const std::uint32_t count_;
  ZeroPages units_;
  ZeroPages marks_;
  SpinLatch latch_;  // guards the lists, the links and the marks
  std::array<std::uint32_t, kMaxOrder + 1> heads_;
};

}  // namespace weir::store
