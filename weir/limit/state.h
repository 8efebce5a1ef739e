// What one rule keeps for one key: at most three words, and for sliding_log a ring of entries that the store
// lends.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "weir/base/time.h"

namespace weir {

/// Admitted at `time`; `total` counts all units ever admitted up to and with this entry (modulo 2^64), so
/// that the units between two entries are a subtraction and the log can be searched instead of summed.
struct LogEntry {
  Nanos time;
  std::uint64_t total;
};

/// The state of a bucket. All zeros, with an empty ring, is a fresh bucket for every algorithm.
struct State {
  std::array<std::uint64_t, 3> word{};
  std::span<LogEntry> ring{};
};

/// An instant as a word of a state. The beginning of time is 0, so that a fresh state has seen nothing later.
constexpr std::uint64_t word_of(Nanos instant) {
  return std::bit_cast<std::uint64_t>(instant) ^ std::uint64_t{1} << 63U;
}
constexpr Nanos instant_of(std::uint64_t word) {
  return std::bit_cast<Nanos>(word ^ std::uint64_t{1} << 63U);
}

/// The stretch of time that a store's states are relative to. A `now` outside it counts as its nearest end.
struct TimeFrame {
  Nanos origin = 0;
  /// How long after the origin states must stay exact. The longer, the fewer limits fit one word.
  Nanos horizon = kForever;

  /// 30 years from `start`: long for a process, and short enough that nearly every limit fits one word.
  static constexpr TimeFrame starting_at(Nanos start) { return {start, Nanos{30} * 365 * kDay}; }
};

}  // namespace weir
