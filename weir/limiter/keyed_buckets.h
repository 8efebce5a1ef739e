// A bucket for each key, in a memory store of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "weir/base/hash.h"
#include "weir/key.h"
#include "weir/outcome.h"
#include "weir/rate_limiter.h"
#include "weir/store/memory_store.h"

namespace weir::limiter {

/// No `now` that is given is read as earlier than the latest that was; waits are told from the caller's.
class KeyedBuckets {
 public:
  /// REQUIRES: !find_error(limit). Throws std::invalid_argument when no table fits the options.
  KeyedBuckets(const Limit& limit, const RateLimiterOptions& options, Nanos start);

  std::uint64_t bucket_of(const Key& key) const;

  Outcome decide(std::uint64_t bucket, Nanos now, std::uint64_t cost, Verdict* verdict = nullptr);
  void decide_each(std::span<const Key> keys, Nanos now, std::uint64_t cost, std::span<Outcome> outcomes);
  Outcome decide_all(std::span<const Key> keys, Nanos now, std::uint64_t cost);
  Outcome peek(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void refund(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void charge(std::uint64_t bucket, Nanos now, std::uint64_t cost);

  /// Reads a `now` that a caller has given; those of the limiter's own clock need no such care.
  Nanos never_back(Nanos given);

 private:
  BucketAsk ask(std::uint64_t bucket, std::uint64_t cost) const {
    return {.bucket = bucket,
            .limit = limit_,
            .ask = {.cost = cost, .charge_denied = charge_denied_},
            .allow_when_full = allow_when_full_};
  }

  MemoryStore store_;
  LimitId limit_;
  HashSecret secret_;
  bool allow_when_full_;
  bool charge_denied_;
  alignas(64) std::atomic<Nanos> latest_;
};

}  // namespace weir::limiter
