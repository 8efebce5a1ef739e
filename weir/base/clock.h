// Where `now` comes from. Everything below the engine takes it as an argument.
#pragma once

#include "weir/base/time.h"

namespace weir {

/// The two clocks of a machine: the wall, which people set, and the time since boot, which they can't.
struct ClockReading {
  Nanos wall;
  Nanos since_boot;
};

/// Reads both clocks of this machine at (nearly) one instant. Time spent asleep counts as time since boot.
ClockReading read_system_clocks();

/// The second of them alone, for those who have read the first before.
Nanos read_time_since_boot();

/// Server time: the wall clock when it was made, plus the time since boot that has passed since.
/// It never steps, forwards or backwards, whatever happens to the wall clock, and its windows still align to
/// the calendar.
class ServerClock {
 public:
  explicit ServerClock(ClockReading start) : offset_(saturating_sub(start.wall, start.since_boot)) {}
  Nanos at(ClockReading reading) const { return saturating_add(offset_, reading.since_boot); }

 private:
  Nanos offset_;
};

}  // namespace weir
