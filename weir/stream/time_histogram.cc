#include "weir/stream/time_histogram.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir {
namespace {

constexpr std::array<Nanos, 17> kLengths{kSecond,      2 * kSecond,  5 * kSecond, 10 * kSecond, 15 * kSecond,
                                         30 * kSecond, kMinute,      2 * kMinute, 5 * kMinute,  10 * kMinute,
                                         15 * kMinute, 30 * kMinute, kHour,       2 * kHour,    3 * kHour,
                                         6 * kHour,    12 * kHour};

/// The next length that is a whole multiple, so that slots are joined and never cut.
Nanos longer(Nanos slot) {
  for (const Nanos length : kLengths) {
    if (length > slot && length % slot == 0) return length;
  }
  if (slot < kDay && kDay % slot == 0) return kDay;
  return saturating_add(slot, slot);
}

}  // namespace

void TimeHistogram::add(Nanos time, std::uint64_t count) {
  from_ = from_ ? std::min(*from_, time) : time;
  to_ = to_ ? std::max(*to_, time) : time;
  const auto [at, is_new] = counts_.try_emplace(floor_to(time, slot_), 0);
  at->second += count;
  while (is_new && counts_.size() > 1 &&
         static_cast<double>(counts_.rbegin()->first) - static_cast<double>(counts_.begin()->first) >=
             static_cast<double>(slot_) * kMostSlots) {
    coarsen();
  }
}

std::vector<TimeHistogram::Slot> TimeHistogram::slots() const {
  std::vector<Slot> slots;
  slots.reserve(counts_.size());
  for (const auto& [begin, count] : counts_) slots.push_back({begin, count});
  return slots;
}

void TimeHistogram::coarsen() {
  slot_ = longer(slot_);
  std::map<Nanos, std::uint64_t> joined;
  for (const auto& [begin, count] : counts_) joined[floor_to(begin, slot_)] += count;
  counts_ = std::move(joined);
}

}  // namespace weir
