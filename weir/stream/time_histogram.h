// How many records came when, in a fixed number of slots that grow with the span of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "weir/base/time.h"

namespace weir {

/// Slots of equal length, aligned to the epoch; times may come in any order. When the span needs more than
/// kMostSlots, the slots become longer: the next of 1, 2, 5, 10, 15, 30 s, the same in minutes, 1, 2, 3, 6,
/// 12 h, then days.
class TimeHistogram {
 public:
  static constexpr std::size_t kMostSlots = 128;

  struct Slot {
    Nanos begin;
    std::uint64_t count = 0;
  };

  explicit TimeHistogram(Nanos slot = kSecond) : slot_(slot) {}

  void add(Nanos time, std::uint64_t count);
  /// Those with records, by time.
  std::vector<Slot> slots() const;
  Nanos slot() const { return slot_; }
  /// The first and the last time seen.
  std::optional<Nanos> from() const { return from_; }
  std::optional<Nanos> to() const { return to_; }

 private:
  void coarsen();

  Nanos slot_;
  std::map<Nanos, std::uint64_t> counts_;
  std::optional<Nanos> from_;
  std::optional<Nanos> to_;
};

}  // namespace weir
