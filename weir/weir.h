// Weir: limits for the traffic of your program, in one include.
//
//   #include "weir/weir.h"
//
//   weir::RateLimiter chat{weir::token_bucket(5, weir::per(10s)).burst(10)};
//   if (auto d = chat.check(player); !d) return too_many_requests(d.retry_after.whole_seconds());
//
// | you have                              | you want                              | look into               |
// |---------------------------------------|---------------------------------------|-------------------------|
// | one limit                             | a yes or a no for each request        | weir/rate_limiter.h     |
// | rules in a YAML file                  | all of them decided as one            | weir/policy_limiter.h   |
// | an algorithm to choose                | the builders                          | weir/limits.h           |
// | an answer                             | to know what it can say               | weir/outcome.h          |
// | a key of several parts                | no two that collide                   | weir/key.h              |
// | a cost known only afterwards          | to hold it, then settle               | weir/reservation.h      |
// | work that may be late, but not too    | to wait, and to call it off           | weir/waiting.h          |
// | a test                                | ten seconds to pass at once           | weir/clocks.h           |
//
// Link weir::weir; or weir::core, which has all but PolicyLimiter and needs the standard library alone.
#pragma once

#include "weir/clocks.h"
#include "weir/key.h"
#include "weir/limits.h"
#include "weir/outcome.h"
#include "weir/policy_limiter.h"
#include "weir/rate_limiter.h"
#include "weir/reservation.h"
#include "weir/timer_queue.h"
#include "weir/waiting.h"
