// What the rules of a decision took, out of the trace of it.
#pragma once

#include <cstddef>

#include "weir/engine/engine.h"

namespace weir {

/// Calls take(ask, verdict, rule, limit) for each bucket, those of shadows too, that had room for its ask and
/// admitted it.
template <class Take>
void for_each_admitted(const Trace& trace, Take take) {
  for (std::size_t i = 0; i < trace.met.size(); ++i) {
    if (trace.ask_of[i] == Trace::kNoAsk) continue;
    const BucketVerdict& said = trace.said[trace.ask_of[i]];
    if (!said.verdict.allowed || said.full) continue;
    const Rule& rule = trace.plan->policy().rules()[trace.met[i].rule];
    take(trace.asks[trace.ask_of[i]], said.verdict, rule, rule.limits[trace.met[i].limit].limit);
  }
}

}  // namespace weir
