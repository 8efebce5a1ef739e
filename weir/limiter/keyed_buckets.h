// A bucket for each key, in a memory store of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "weir/base/hash.h"
#include "weir/key.h"
#include "weir/limiter/latest_instant.h"
#include "weir/outcome.h"
#include "weir/rate_limiter.h"
#include "weir/store/memory_store.h"

namespace weir::limiter {

/// No `now` that is given is read as earlier than the latest given one that changed something. Calls by the
/// own clock are not noted, so that they write nothing that all keys share: behind those, a bucket itself
/// gives no more at an earlier instant than at the latest that it knows (weir/limit/kernel.h).
class KeyedBuckets {
 public:
  /// Whose clock a `now` is from.
  enum class Clocked : std::uint8_t { own, given };

  /// REQUIRES: nothing is wrong with the limit and the options. Throws std::bad_alloc when the system refuses
  /// the memory.
  KeyedBuckets(const Limit& limit, const RateLimiterOptions& options, Nanos start);

  std::uint64_t bucket_of(const Key& key) const;

  /// `counted`: when the bucket counted it; left as it is if it was let through without a bucket.
  Outcome decide(std::uint64_t bucket, Nanos now, std::uint64_t cost,
                 std::optional<Nanos>* counted = nullptr);
  /// The same for whoever waits: a denial is not charged, whatever the options say.
  Outcome admit(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void decide_each(std::span<const Key> keys, Nanos now, std::uint64_t cost, std::span<Outcome> outcomes,
                   Clocked clocked = Clocked::own);
  Outcome decide_all(std::span<const Key> keys, Nanos now, std::uint64_t cost,
                     Clocked clocked = Clocked::own);
  Outcome peek(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void refund(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void give_back(std::uint64_t bucket, Nanos now, std::uint64_t cost, const Charge& from);
  void charge(std::uint64_t bucket, Nanos now, std::uint64_t cost);

  /// The same at a `now` of never_back(): the latest of those that changed something is kept.
  Outcome decide_given(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void refund_given(std::uint64_t bucket, Nanos now, std::uint64_t cost);
  void charge_given(std::uint64_t bucket, Nanos now, std::uint64_t cost);

  /// How a `now` that a caller has given is read.
  Nanos never_back(Nanos given) const { return std::max(given, latest_.get()); }

 private:
  BucketAsk ask(std::uint64_t bucket, std::uint64_t cost) const {
    return {.bucket = bucket,
            .limit = limit_id_,
            .ask = {.cost = cost, .charge_denied = charge_denied_},
            .allow_when_full = allow_when_full_};
  }

  /// What was denied or found no bucket was not charged, and must not move the time of the others.
  bool charged(const BucketVerdict& said, std::uint64_t cost) const {
    return cost != 0 && !said.full && (said.verdict.allowed || charge_denied_);
  }
  /// Decides and charges.
  BucketVerdict said_of(const BucketAsk& asked, Nanos now);

  MemoryStore store_;
  Limit limit_;
  LimitId limit_id_;
  HashSecret secret_;
  bool allow_when_full_;
  bool charge_denied_;
  alignas(64) LatestInstant latest_;
};

}  // namespace weir::limiter
