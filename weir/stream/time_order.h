// Puts events in the order of their times: completely, spilling to disk, or through a buffer of bounded
// lateness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {

/// One event: its time and bytes that mean something to who put it in.
struct TimedBytes {
  Nanos time;
  std::string_view bytes;
};

/// Everything in, then everything out, ordered by time; equal times in the order in which they came.
class CompleteOrder {
 public:
  /// Above `memory` bytes, sorted runs go to unnamed temporary files in `folder` (TMPDIR or /tmp when empty),
  /// which are merged.
  explicit CompleteOrder(std::size_t memory = std::size_t{1} << 30U, std::string_view folder = {});
  ~CompleteOrder();
  CompleteOrder(CompleteOrder&&) noexcept;
  CompleteOrder& operator=(CompleteOrder&&) noexcept;

  /// An error when the disk is full.
  Status add(TimedBytes event);
  /// How many events came with a time before the latest one seen until then.
  std::uint64_t reordered() const;
  /// The next event in order, valid until the next call; nothing at the end. The first call ends adding.
  Result<std::optional<TimedBytes>> next();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Holds events back until one comes whose time is more than `lateness` later. An event that comes later than
/// that is passed on at once, out of order, and counted.
class LatenessOrder {
 public:
  /// At most `memory` bytes are held; beyond that the oldest go out early.
  explicit LatenessOrder(Nanos lateness, std::size_t memory = std::size_t{1} << 30U);
  ~LatenessOrder();
  LatenessOrder(LatenessOrder&&) noexcept;
  LatenessOrder& operator=(LatenessOrder&&) noexcept;

  void add(TimedBytes event);
  /// The next event that may go out, valid until the next call; nothing while the buffer must wait.
  std::optional<TimedBytes> next();
  /// No more will come: next() then empties the buffer.
  void finish();
  std::uint64_t reordered() const;
  /// Events that came too late to be put in order.
  std::uint64_t late() const;
  /// The largest step back of a late event behind the latest that had come by then. A buffer of that lateness
  /// would have put all in order, had its memory been enough.
  Nanos worst_lateness() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
