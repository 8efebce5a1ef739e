// What an algorithm says of one request.
#pragma once

#include <cstdint>
#include <optional>

#include "weir/base/time.h"

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

/// What a request asks of one bucket.
struct Ask {
  /// 0 reports and changes nothing; it is allowed unless the quota is 0.
  std::uint64_t cost = 1;
  /// A denied request is charged all the same, into debt of at most one capacity.
  bool charge_denied = false;
};

}  // namespace weir
