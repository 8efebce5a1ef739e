// What the options of a limiter of either kind come to, and what is wrong with them.
#pragma once

#include <memory>

#include "weir/base/result.h"
#include "weir/clocks.h"
#include "weir/store/memory_store.h"
#include "weir/timer_queue.h"

namespace weir::limiter {

/// Options may name a clock, or timers that have one, or both.
template <class Options>
std::shared_ptr<Clock> clock_of(const Options& options) {
  if (options.timers) return options.timers->clock();
  return options.clock ? options.clock : system_clock();
}

template <class Options>
MemoryStoreOptions store_options_of(const Options& options, Nanos start) {
  return {
      .max_keys = options.max_keys, .max_memory = options.max_memory, .frame = TimeFrame::starting_at(start)};
}

/// A sentence that begins with the option's name.
template <class Options>
Status check(const Options& options) {
  if (options.timers && options.clock && options.timers->clock() != options.clock) {
    return Error{
        "timers: they run by another clock than the limiter; give them the same, or the timers alone"};
  }
  if (const auto error = find_error(store_options_of(options, 0))) return Error{*error};
  return Done{};
}

}  // namespace weir::limiter
