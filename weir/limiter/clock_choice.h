// Which clock a limiter runs by: options may name it, or timers that have one, or both.
#pragma once

#include <memory>

#include "weir/base/result.h"
#include "weir/clocks.h"
#include "weir/timer_queue.h"

namespace weir::limiter {

/// Of the options of a limiter of either kind.
template <class Options>
std::shared_ptr<Clock> clock_of(const Options& options) {
  if (options.timers) return options.timers->clock();
  return options.clock ? options.clock : system_clock();
}

/// An error where the clock and the timers disagree.
template <class Options>
Status check_clocks(const Options& options) {
  if (!options.timers || !options.clock || options.timers->clock() == options.clock) return Done{};
  return Error{"timers: they run by another clock than the limiter; give them the same, or the timers alone"};
}

}  // namespace weir::limiter
