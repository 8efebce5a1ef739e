// A verdict of the algorithms, as the public face tells it.
#pragma once

#include <chrono>

#include "weir/base/time.h"
#include "weir/limit/verdict.h"
#include "weir/limiter/one_word.h"
#include "weir/outcome.h"

namespace weir::limiter {

inline Nanos nanos(Time t) {
  return t.time_since_epoch().count();
}

inline Time time_of(Nanos n) {
  return Time(std::chrono::nanoseconds(n));
}

/// Verdict, or what else has its fields.
template <class Said>
Outcome outcome_of(const Said& said) {
  Outcome outcome;
  outcome.limit = said.limit;
  outcome.remaining = said.remaining;
  outcome.reset_after = std::chrono::nanoseconds(said.reset_after);
  outcome.delay = std::chrono::nanoseconds(said.delay);
  if (said.allowed) {
    outcome.admission = Admission::admitted;
    outcome.retry_after = Wait();
  } else if (said.retry_after) {
    outcome.admission = Admission::not_until;
    outcome.retry_after = Wait::of(std::chrono::nanoseconds(*said.retry_after));
  }
  return outcome;
}

/// Lets the waits count from `ahead` earlier than they do; 0 or less changes nothing.
inline Outcome with_longer_waits(Outcome outcome, Nanos ahead) {
  if (ahead <= 0) return outcome;
  const auto later = [&](std::chrono::nanoseconds d) {
    return std::chrono::nanoseconds(saturating_add(d.count(), ahead));
  };
  if (outcome.reset_after.count() != 0) outcome.reset_after = later(outcome.reset_after);
  if (outcome.admission == Admission::not_until) {
    outcome.retry_after = Wait::of(later(outcome.retry_after.get()));
  }
  return outcome;
}

/// Of a bucket of one word, field by field, so that it goes from registers to where it is returned.
inline Outcome outcome_of(const OneWord::Answer& said, std::uint64_t capacity) {
  return {.admission = said.allowed ? Admission::admitted
                       : said.never ? Admission::never
                                    : Admission::not_until,
          .retry_after = said.never ? Wait::never() : Wait::of(std::chrono::nanoseconds(said.retry_after)),
          .delay = std::chrono::nanoseconds(said.delay),
          .limit = capacity,
          .remaining = said.remaining,
          .reset_after = std::chrono::nanoseconds(said.reset_after)};
}

}  // namespace weir::limiter
