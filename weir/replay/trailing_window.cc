#include "weir/replay/trailing_window.h"

#include <algorithm>

namespace weir {

std::uint64_t TrailingWindow::add(Nanos time, std::uint64_t units, Nanos per) {
  if (!entries_.empty()) time = std::max(time, entries_.back().time);
  drop_until(saturating_sub(time, per));
  const bool same_instant = head_ < entries_.size() && entries_.back().time == time;
  std::uint64_t joined = 0;
  if (same_instant && !__builtin_add_overflow(entries_.back().units, units, &joined)) {
    entries_.back().units = joined;
  } else {
    entries_.push_back({time, units});
  }
  sum_ += units;
  return static_cast<std::uint64_t>(std::min<Wide>(sum_, std::numeric_limits<std::uint64_t>::max()));
}

void TrailingWindow::drop_until(Nanos end) {
  while (head_ < entries_.size() && entries_[head_].time <= end) sum_ -= entries_[head_++].units;
  // Erasing once half is dead costs each entry one move at the most.
  if (head_ * 2 < entries_.size() || head_ == 0) return;
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
}

}  // namespace weir
