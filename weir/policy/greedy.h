// The most that a limit lets through in a span, whatever the client does: the number to size a backend by.
#pragma once

#include <cstdint>

#include "weir/limit/limit.h"

namespace weir {

/// The most units that one bucket admits in any span [t, t + span), at instants that are whole nanoseconds;
/// the largest number there is when it does not fit. Exact, not a bound: some client gets as much
/// (only for buckets of more than one unit per nanosecond it is a bound).
///
/// - token_bucket, gcra: a full bucket and what flows in while the span lasts:
///   burst + floor((span - 1) * quota / per). 15 per minute with a burst of 15 is 29 in a minute.
///   With a burst of 1, one each per / quota rounded up.
/// - leaky_bucket: what leaves the queue, one each per / quota: ceil(span * quota / per).
///   Where none may wait, as a token_bucket with a burst of 1.
/// - fixed_window: the quota of every window that the span touches, the first at its very end:
///   twice the quota in one period. For calendar periods, of the shortest ones from 2000 to 2040.
/// - sliding_log: the quota at the start and again whenever it has left the window:
///   quota * ceil(span / per).
/// - sliding_counter: the quota at the end of a window, and then what its fading weight leaves room for:
///   at most 2 * quota - 1 in one period.
///
/// REQUIRES: find_error() has nothing against `limit`.
std::uint64_t greedy_most(const Limit& limit, Nanos span);

}  // namespace weir
