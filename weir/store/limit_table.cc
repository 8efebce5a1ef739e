#include "weir/store/limit_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/store/slot_table.h"

namespace weir::store {
namespace {

std::size_t hash_of(const Limit& limit, std::uint32_t room) {
  return static_cast<std::size_t>(spread(spread(limit.quota) ^ room) ^
                                  static_cast<std::uint64_t>(limit.algorithm));
}

}  // namespace

RegisteredLimit::RegisteredLimit(const Limit& limit, TimeFrame frame, LimitId number, std::uint32_t in_room,
                                 std::uint64_t with_veil)
    : kernel(limit, frame),
      id(number),
      room(in_room),
      words(kernel.words()),
      log(kernel.uses_log()),
      veil(with_veil) {}

LimitTable::LimitTable(TimeFrame frame, std::vector<FairShare*> shares)
    : frame_(frame), shares_(std::move(shares)) {}

LimitTable::~LimitTable() = default;

std::optional<RegisteredLimit>& LimitTable::slot(std::uint32_t number) {
  return owned_chunks_[number / kChunk]->at(number % kChunk);
}

std::optional<std::uint32_t> LimitTable::find(const Limit& limit, std::uint32_t room,
                                              std::size_t hash) const {
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto found = std::find_if(begin, end, [&](const auto& entry) {
    const std::uint32_t number = entry.second;
    return registrations_[number].room_number == room &&
           owned_chunks_[number / kChunk]->at(number % kChunk)->kernel.limit() == limit;
  });
  if (found == end) return std::nullopt;
  return found->second;
}

std::uint32_t LimitTable::new_number() {
  if (!free_numbers_.empty()) {
    const std::uint32_t number = free_numbers_.back();
    free_numbers_.pop_back();
    return number;
  }
  if (registrations_.size() == kChunk * kChunks) {
    throw std::length_error("the store holds 1048576 different limits, and no more");
  }
  if (registrations_.size() == owned_chunks_.size() * kChunk) {
    owned_chunks_.push_back(std::make_unique<Chunk>());
    chunks_[owned_chunks_.size() - 1].store(owned_chunks_.back().get(), std::memory_order_release);
  }
  registrations_.emplace_back();
  return static_cast<std::uint32_t>(registrations_.size() - 1);
}

LimitTable::Room& LimitTable::enter_room(std::uint32_t room) {
  const auto [found, inserted] = rooms_.try_emplace(room);
  if (inserted && !free_rooms_.empty()) {
    found->second.index = free_rooms_.back();
    free_rooms_.pop_back();
  } else if (inserted) {
    found->second.index = static_cast<std::uint32_t>(rooms_.size() - 1);
  }
  return found->second;
}

void LimitTable::hold(std::uint32_t number) {
  Registration& registration = registrations_[number];
  if (registration.refs++ != 0) return;
  Room& room = rooms_.at(registration.room_number);
  if (room.live++ != 0) return;
  for (FairShare* share : shares_) share->open(room.index);
}

LimitId LimitTable::add(const Limit& limit, std::uint32_t room, Nanos since) {
  const std::lock_guard lock(mutex_);
  const std::size_t hash = hash_of(limit, room);
  std::optional<std::uint32_t> number = find(limit, room, hash);
  if (number && registrations_[*number].refs == 0) std::erase(removed_, *number);
  if (!number) {
    if (const auto error = find_error(limit))
      throw std::invalid_argument(error->field + ": " + error->message);
    free_unused();
    number = new_number();
    Room& entered = enter_room(room);
    ++entered.limits;
    slot(*number).emplace(limit, frame_, static_cast<LimitId>(*number), entered.index, limit_veil(++veils_));
    registrations_[*number] = {.refs = 0, .room_number = room, .hash = hash};
    by_hash_.emplace(hash, *number);
  }
  slot(*number)->since.store(since, std::memory_order_relaxed);
  hold(*number);
  return static_cast<LimitId>(*number);
}

void LimitTable::remove(LimitId id) {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<std::uint32_t>(id);
  Registration& registration = registrations_[number];
  if (--registration.refs != 0) return;
  removed_.push_back(number);
  Room& room = rooms_.at(registration.room_number);
  if (--room.live != 0) return;
  for (FairShare* share : shares_) share->close(room.index);
}

void LimitTable::free_unused() {
  std::erase_if(removed_, [&](std::uint32_t number) {
    // Pairs with the release of the last bucket: whoever dropped it has done with the kernel.
    if (slot(number)->buckets.load(std::memory_order_acquire) != 0) return false;
    forget(number);
    return true;
  });
}

void LimitTable::forget(std::uint32_t number) {
  const Registration& registration = registrations_[number];
  const auto [begin, end] = by_hash_.equal_range(registration.hash);
  by_hash_.erase(std::find_if(begin, end, [&](const auto& entry) { return entry.second == number; }));
  const auto room = rooms_.find(registration.room_number);
  if (--room->second.limits == 0) {
    free_rooms_.push_back(room->second.index);
    rooms_.erase(room);
  }
  slot(number).reset();
  free_numbers_.push_back(number);
}

std::size_t LimitTable::size() const {
  const std::lock_guard lock(mutex_);
  return registrations_.size() - free_numbers_.size();
}

}  // namespace weir::store
