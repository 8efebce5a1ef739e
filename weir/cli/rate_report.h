// Records per window of event time: the figures of `weir rate`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "weir/sketch/frequent_items.h"
#include "weir/stream/time_histogram.h"
#include "weir/stream/time_windows.h"

namespace weir {

/// The window with the most records, the first of them, and who made it.
struct RatePeak {
  Nanos time = 0;
  std::uint64_t count = 0;
  std::vector<FrequentTexts::Item> who{};
};

class RateReport {
 public:
  /// Called for each window with records, in order.
  using Window = std::function<void(Nanos begin, std::uint64_t count)>;

  /// `by` is the field that says who.
  RateReport(WindowOptions options, std::size_t fields, std::optional<FieldId> by, Window window);
  // The windows speak to this one.
  RateReport(const RateReport&) = delete;
  RateReport& operator=(const RateReport&) = delete;

  Status add(const Record& record) { return windows_.add(record); }
  Status finish() { return windows_.finish(); }

  const TimeWindows& windows() const { return windows_; }
  std::uint64_t records() const { return records_; }
  /// From the first window that has records to the end of the last, empty ones between them included.
  double per_window() const;
  const std::optional<RatePeak>& peak() const { return peak_; }

 private:
  void take(const Record& record);
  void close(Nanos begin);

  std::optional<FieldId> by_;
  Window window_;
  TimeWindows windows_;
  std::uint64_t records_ = 0;
  std::uint64_t count_ = 0;
  std::optional<FrequentTexts> who_;
  std::optional<RatePeak> peak_;
  std::optional<Nanos> first_;
  Nanos last_ = 0;
};

}  // namespace weir
