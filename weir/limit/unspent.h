// What of a cost that was charged a while ago can still be given back without minting anything.
//
// A bucket that drains has, with time, given part of it back itself; a window that has passed has given all
// of it. What is left is told by the end of the charge: the instant until which it weighs on its bucket.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/wide.h"
#include "weir/limit/fixed_window.h"
#include "weir/limit/limit.h"
#include "weir/limit/verdict.h"

namespace weir {

/// Until when a cost that `verdict` has admitted at `now` weighs on its bucket.
inline Nanos weighs_until(const Limit& limit, Nanos now, const Verdict& verdict) {
  if (limit.algorithm == Algorithm::sliding_counter) {  // gives back to the current window only
    const WindowPosition window = position_in_window(now, std::get<Nanos>(limit.per));
    return saturating_add(now, std::get<Nanos>(limit.per) - window.elapsed);
  }
  return saturating_add(now, verdict.reset_after);
}

/// Units of `cost` that still weigh at `now`, rounded up to a whole one.
inline std::uint64_t unspent(const Limit& limit, std::uint64_t cost, Nanos until, Nanos now) {
  if (now >= until || limit.quota == 0) return 0;
  const bool drains = limit.algorithm == Algorithm::token_bucket || limit.algorithm == Algorithm::gcra ||
                      limit.algorithm == Algorithm::leaky_bucket;
  if (!drains) return cost;
  const auto left = static_cast<std::uint64_t>(saturating_sub(until, now));
  const Wide units =
      ceil_div(Wide{left} * limit.quota, static_cast<std::uint64_t>(std::get<Nanos>(limit.per)));
  return static_cast<std::uint64_t>(std::min<Wide>(cost, units));
}

}  // namespace weir
