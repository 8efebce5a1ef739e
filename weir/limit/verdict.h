// What an algorithm says of one request.
#pragma once

#include <cstdint>
#include <optional>

#include "weir/base/time.h"
#include "weir/base/wide.h"

namespace weir {

struct Verdict {
  bool allowed = false;
  /// The most that the bucket holds.
  std::uint64_t limit = 0;
  /// What would still be admitted at this instant, after this request.
  std::uint64_t remaining = 0;
  /// 0 when allowed. When denied, the shortest wait after which the same request, alone, is admitted; nothing
  /// when no wait will do (quota 0, or a cost above the capacity).
  std::optional<Nanos> retry_after = 0;
  /// Until the bucket is as if never used, if nothing else comes.
  Nanos reset_after = 0;
  /// leaky_bucket: how long this request waits for its turn.
  Nanos delay = 0;

  bool operator==(const Verdict&) const = default;
};

/// Lets the waits of a verdict on `at` count from an earlier `now`.
inline void tell_from(Nanos now, Nanos at, Verdict& verdict) {
  const Nanos ahead = saturating_sub(at, now);
  if (ahead <= 0) return;
  if (verdict.reset_after != 0) verdict.reset_after = saturating_add(verdict.reset_after, ahead);
  if (!verdict.allowed && verdict.retry_after) {
    verdict.retry_after = saturating_add(*verdict.retry_after, ahead);
  }
}

/// Never is longer than any wait.
inline bool longer_wait(std::optional<Nanos> a, std::optional<Nanos> b) {
  if (!a || !b) return b.has_value();
  return *a > *b;
}

/// Whether a has less left of its limit than b: remaining / limit, compared without dividing. Verdicts, or
/// what else has their fields.
template <class A, class B>
bool tighter(const A& a, const B& b) {
  return Wide{a.remaining} * b.limit < Wide{b.remaining} * a.limit;
}

/// What a request asks of one bucket.
struct Ask {
  /// 0 reports and changes nothing; it is allowed unless the quota is 0.
  std::uint64_t cost = 1;
  /// A denied request is charged all the same, into debt of at most one capacity.
  bool charge_denied = false;
};

}  // namespace weir
