// What stands behind a RateLimiter: its buckets, its holds and its waiters.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "weir/base/hold_book.h"
#include "weir/limiter/keyed_buckets.h"
#include "weir/limiter/outcomes.h"
#include "weir/limiter/single_bucket.h"
#include "weir/limiter/wait_room_when_needed.h"
#include "weir/rate_limiter.h"

namespace weir::limiter {

/// One of a limiter's buckets: the one without a key, or one with.
struct Place {
  bool keyed = false;
  std::uint64_t bucket = 0;
};

class LimiterCore : public HoldKeeper, public std::enable_shared_from_this<LimiterCore> {
 public:
  /// REQUIRES: nothing is wrong with the limit and the options.
  LimiterCore(const Limit& limit, RateLimiterOptions options);
  ~LimiterCore() override;

  const Limit& limit() const { return limit_; }
  Nanos now() const { return nanos(clock_->now()); }

  /// Of the bucket without a key. REQUIRES: enter(now) was called.
  Outcome decide_single(Nanos now, std::uint64_t cost) {
    const Ask ask{.cost = cost, .charge_denied = options_.charge_denied};
    if (!single_.is_one_word()) return outcome_of(single_.decide(now, ask));
    return outcome_of(single_.decide_word(now, ask), single_.capacity_of_word());
  }
  /// `charged`: when the bucket counted it; left as it is if it was let through without a bucket.
  Outcome decide(Place place, Nanos now, std::uint64_t cost, std::optional<Nanos>* charged = nullptr);
  Outcome peek(Place place, Nanos now, std::uint64_t cost);
  void refund(Place place, Nanos now, std::uint64_t cost);
  /// At a `now` of KeyedBuckets::never_back(). REQUIRES: place.keyed.
  void refund_given(Place place, Nanos now, std::uint64_t cost);
  void charge(Place place, Nanos now, std::uint64_t cost);

  /// The table of keys, made when it is first asked for.
  KeyedBuckets& keyed() {
    KeyedBuckets* made = keyed_ready_.load(std::memory_order_acquire);
    return made ? *made : make_keyed();
  }
  Place place_of(const Key& key) { return {true, keyed().bucket_of(key)}; }

  /// Before each decision at `now`: takes back some of what was held too long, if there is any.
  void enter(Nanos now) {
    if (holds_.due(now)) [[unlikely]]
      lapse(now);
  }

  Reservation reserve(Place place, Cost cost, std::chrono::nanoseconds ttl);
  Settlement commit(std::uint64_t hold, std::uint64_t cost) override;
  bool cancel(std::uint64_t hold) override;

  void wait(Place place, WaitOptions options, WaitDone done);
  /// Ends all waits, now and later.
  void close() { room_.close(); }

 private:
  struct Held {
    Place place;
    std::uint64_t cost = 0;
    /// When the bucket counted it; nothing if it was let through without one.
    std::optional<Nanos> charged;
  };

  KeyedBuckets& make_keyed();
  void tell_waiters(Place place);
  void lapse(Nanos now);
  /// Without a word to those who wait.
  void lapse_quietly(Nanos now);
  void refund_quietly(Place place, Nanos now, std::uint64_t cost);
  /// Gives back `cost` of what is held.
  void give_back(const Held& held, std::uint64_t cost, Nanos now);
  void give_back_quietly(const Held& held, std::uint64_t cost, Nanos now);
  /// Of whoever waits: charges an admission in time, and nothing else.
  Outcome attempt(Place place, std::uint64_t cost, Time now, Time deadline);
  Outcome admit(Place place, Nanos now, std::uint64_t cost);

  // Read by all and hardly ever written.
  const Limit limit_;
  std::shared_ptr<Clock> clock_;
  const RateLimiterOptions options_;
  const Nanos start_;
  std::atomic<KeyedBuckets*> keyed_ready_{nullptr};
  HoldBook<Held> holds_;

  SingleBucket single_;

  std::mutex making_;  // guards keyed_
  std::unique_ptr<KeyedBuckets> keyed_;
  WaitRoomWhenNeeded room_;
};

}  // namespace weir::limiter
