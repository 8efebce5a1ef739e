#include "weir/store/arena.h"

#include <algorithm>
#include <bit>
#include <mutex>

namespace weir::store {
namespace {

std::uint32_t units_in(std::size_t bytes) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes / Arena::kBytesPerUnit, ~std::uint32_t{0} - 1));
}

/// The order of the largest block that starts at `unit` and ends at or before `end`.
unsigned largest_order(std::uint32_t unit, std::uint32_t end) {
  const auto fits = static_cast<unsigned>(std::bit_width(end - unit)) - 1;
  const auto aligned = unit == 0 ? Arena::kMaxOrder : static_cast<unsigned>(std::countr_zero(unit));
  return std::min({fits, aligned, Arena::kMaxOrder});
}

}  // namespace

Arena::Arena(std::size_t bytes)
    : count_(units_in(bytes)),
      units_(std::max<std::size_t>(1, count_ * kUnit)),
      marks_(std::max<std::size_t>(1, count_)) {
  heads_.fill(kNone);
  for (std::uint32_t unit = 0; unit < count_;) {
    const unsigned order = largest_order(unit, count_);
    push(unit, order);
    unit += std::uint32_t{1} << order;
  }
}

Arena::Link& Arena::link(std::uint32_t unit) const {
  return *reinterpret_cast<Link*>(at(unit));
}

std::uint8_t& Arena::mark(std::uint32_t unit) const {
  return *reinterpret_cast<std::uint8_t*>(marks_.data() + unit);
}

void Arena::push(std::uint32_t unit, unsigned order) {
  link(unit) = {.previous = kNone, .next = heads_[order]};
  if (heads_[order] != kNone) link(heads_[order]).previous = unit;
  heads_[order] = unit;
  mark(unit) = static_cast<std::uint8_t>(order + 1);
}

void Arena::unlink(std::uint32_t unit, unsigned order) {
  const auto [previous, next] = link(unit);
  if (next != kNone) link(next).previous = previous;
  (previous == kNone ? heads_[order] : link(previous).next) = next;
  mark(unit) = 0;
}

std::optional<std::uint32_t> Arena::allocate(unsigned order) {
  const std::lock_guard lock(latch_);
  unsigned found = order;
  while (found <= kMaxOrder && heads_[found] == kNone) ++found;
  if (found > kMaxOrder) return std::nullopt;
  const std::uint32_t unit = heads_[found];
  unlink(unit, found);
  while (found > order) {
    --found;
    push(unit + (std::uint32_t{1} << found), found);
  }
  return unit;
}

void Arena::free(std::uint32_t unit, unsigned order) {
  const std::lock_guard lock(latch_);
  for (; order < kMaxOrder; ++order) {
    const std::uint32_t buddy = unit ^ (std::uint32_t{1} << order);
    if (buddy >= count_ || mark(buddy) != order + 1) break;
    unlink(buddy, order);
    unit = std::min(unit, buddy);
  }
  push(unit, order);
}

}  // namespace weir::store
