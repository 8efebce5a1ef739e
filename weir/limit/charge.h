// A charge that was made and may yet be given back, as the instant and the units that its bucket counted.
//
// What of it can still be given back is up to its limit: see Kernel::give_back.
#pragma once

#include <cstdint>

#include "weir/limit/limit.h"
#include "weir/limit/verdict.h"

namespace weir {

struct Charge {
  Nanos at = 0;
  std::uint64_t cost = 0;
};

/// When a bucket counted what `verdict` has admitted at `now`. A sliding log whose newest entry is later, by
/// another thread's clock, has counted it at that entry. The others may have counted it later than this, and
/// then give back the less.
inline Nanos charged_at(const Limit& limit, Nanos now, const Verdict& verdict) {
  if (limit.algorithm != Algorithm::sliding_log || verdict.reset_after == 0) return now;
  return saturating_add(now, verdict.reset_after - std::get<Nanos>(limit.per));
}

}  // namespace weir
