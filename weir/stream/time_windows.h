// Tumbling windows of event time, aligned to the epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/stream/record.h"
#include "weir/stream/record_codec.h"
#include "weir/stream/time_order.h"

namespace weir {

struct WindowOptions {
  /// How long a window is. REQUIRES: above 0.
  Nanos every = kMinute;
  /// Sorts all records by time, on disk where they don't fit: for what has an end. Else records wait for
  /// those that come late.
  bool sort_all = false;
  /// How late a record may come and still be put in order.
  Nanos lateness = 5 * kMinute;
  /// For what waits, in bytes.
  std::size_t memory = std::size_t{4} << 20U;
};

/// Gives records in the order of their windows, one window after another, so that only one is open. A record
/// whose window is over is counted as late and left out; one without a time as untimed.
class TimeWindows {
 public:
  /// What becomes of a record and of a window that is complete; `begin` is when it began.
  using Take = std::function<void(const Record&)>;
  using Close = std::function<void(Nanos begin)>;

  TimeWindows(WindowOptions options, std::size_t fields, Take take, Close close);

  /// An error when the disk is full.
  Status add(const Record& record);
  /// Gives out all that waits, and closes the last window.
  Status finish();

  /// By their weights.
  std::uint64_t late() const { return late_; }
  std::uint64_t untimed() const { return untimed_; }
  /// How far a late record was behind the latest that had come, at the most.
  Nanos worst_lateness() const { return waiting_.worst_lateness(); }
  Nanos lateness() const { return options_.lateness; }
  Nanos every() const { return options_.every; }

 private:
  void give_out(const TimedBytes& event);

  WindowOptions options_;
  RecordCodec codec_;
  Take take_;
  Close close_;
  CompleteOrder sorted_;
  LatenessOrder waiting_;
  std::string bytes_;
  std::optional<Nanos> open_;
  std::uint64_t late_ = 0;
  std::uint64_t untimed_ = 0;
};

}  // namespace weir
