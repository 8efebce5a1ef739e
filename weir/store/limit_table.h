// The limits that a store knows, by number: read without a lock by every decision, changed under a mutex by
// reloads.
//
// A limit stays as long as someone may decide by it: whoever registered it and has not removed it (refs), and
// every bucket whose state it decodes (buckets). When neither is left its number is used again, so that a
// million reloads need no more numbers than the limits that are in use at one time. Its memory is never given
// back, but built anew: a reader needs no more than the promise that the limit is in use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "weir/limit/kernel.h"
#include "weir/store/fair_share.h"
#include "weir/store/memory_store.h"

namespace weir::store {

struct RegisteredLimit {
  Kernel kernel;
  LimitId id;
  /// Index of the room, for FairShare.
  std::uint32_t room;
  unsigned words;
  bool log;
  /// Mixed into every word of its buckets: see slot_table.h.
  std::uint64_t veil;
  /// When it last took over from another limit of the same buckets.
  mutable std::atomic<Nanos> since{kForever};
  /// Buckets whose owner it is. A decision that names the limit may count up from 0; then refs is not 0.
  mutable std::atomic<std::size_t> buckets{0};

  RegisteredLimit(const Limit& limit, TimeFrame frame, LimitId number, std::uint32_t in_room,
                  std::uint64_t with_veil);
};

class LimitTable {
 public:
  /// Shares get a room opened while it has a limit that is not removed.
  LimitTable(TimeFrame frame, std::vector<FairShare*> shares);
  ~LimitTable();
  LimitTable(const LimitTable&) = delete;
  LimitTable& operator=(const LimitTable&) = delete;

  LimitId add(const Limit& limit, std::uint32_t room, Nanos since);
  void remove(LimitId id);

  /// REQUIRES: the limit is in use, see above.
  const RegisteredLimit& operator[](LimitId id) const {
    const auto number = static_cast<std::uint32_t>(id);
    return *chunks_[number / kChunk].load(std::memory_order_acquire)->at(number % kChunk);
  }

  std::size_t size() const;

 private:
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kChunks = 4096;
  /// What only the mutex's holder may know of a limit.
  struct Registration {
    std::size_t refs = 0;
    std::uint32_t room_number = 0;
    std::size_t hash = 0;
  };
  struct Room {
    std::uint32_t index = 0;
    std::size_t limits = 0;
    std::size_t live = 0;  // with refs
  };
  using Chunk = std::array<std::optional<RegisteredLimit>, kChunk>;

  std::optional<RegisteredLimit>& slot(std::uint32_t number);
  std::optional<std::uint32_t> find(const Limit& limit, std::uint32_t room, std::size_t hash) const;
  std::uint32_t new_number();
  Room& enter_room(std::uint32_t room);
  void hold(std::uint32_t number);
  void free_unused();
  void forget(std::uint32_t number);

  const TimeFrame frame_;
  const std::vector<FairShare*> shares_;
  std::array<std::atomic<Chunk*>, kChunks> chunks_{};

  mutable std::mutex mutex_;  // guards all below, and who is in the chunks
  std::vector<std::unique_ptr<Chunk>> owned_chunks_;
  std::vector<Registration> registrations_;
  std::vector<std::uint32_t> free_numbers_;
  std::vector<std::uint32_t> removed_;  // refs is 0, buckets perhaps not yet
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  std::unordered_map<std::uint32_t, Room> rooms_;
  std::vector<std::uint32_t> free_rooms_;
  std::uint64_t veils_ = 0;
};

}  // namespace weir::store
