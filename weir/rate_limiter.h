// RateLimiter: one limit, for one bucket or for a bucket per key. Safe from any thread.
//
//   #include "weir/weir.h"
//   using namespace std::chrono_literals;
//
//   weir::RateLimiter chat{weir::token_bucket(5, weir::per(10s)).burst(10)};
//   if (auto d = chat.check(player); !d) return refuse(d.retry_after);      // a bucket for each player
//
//   weir::RateLimiter global{weir::gcra(1000, weir::per(1s))};
//   if (global.check()) serve();                                            // one bucket for all
//
// Every call comes in two forms: check() is on the bucket that needs no key, check(key) on that key's. The
// two have nothing to do with each other.
//
// Each call reads the clock, unless it is given `now`. A `now` before the limiter was made, or before the
// latest one given that changed it, counts as that. One that is behind calls by the own clock is given no
// more than at their time, and may be given less: it is best to give `now` always, or never.
//
// Keyed buckets live in a table of bounded size, made at the first keyed call. A bucket that is as good as
// new makes room for others by itself. Keys are hashed to 64 bits under a secret that each limiter draws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "weir/base/result.h"
#include "weir/clocks.h"
#include "weir/key.h"
#include "weir/limits.h"
#include "weir/outcome.h"
#include "weir/reservation.h"
#include "weir/timer_queue.h"
#include "weir/waiting.h"

namespace weir {

struct RateLimiterOptions {
  /// The machine's when null; that of `timers` when those are given.
  std::shared_ptr<Clock> clock = nullptr;
  /// Who ends the waits; made when somebody first waits when null.
  std::shared_ptr<TimerQueue> timers = nullptr;
  /// Keys in use at one time, from 1, and bytes for them, from 88 to 64 TiB, at the most.
  std::size_t max_keys = 1'000'000;
  std::size_t max_memory = std::size_t{1} << 30U;
  /// What a key gets that finds the table full of keys in use.
  bool allow_when_full = false;
  /// Denied requests are charged all the same, into debt of at most one capacity.
  bool charge_denied = false;
  /// Reservations at one time at the most. Each takes its place until it is settled, also when its time is
  /// over. When all are taken, reserve() is denied: for an estimated time, or for ever where this is 0.
  std::size_t max_reservations = 100'000;
  /// Instead of a random secret: the same seed puts the same keys into the same places. For tests.
  std::optional<std::uint64_t> hash_seed = std::nullopt;
};

class RateLimiter {
 public:
  using Options = RateLimiterOptions;

  /// Throws std::invalid_argument, with the sentence that make() would return: for a limit that can't be, or
  /// options that can't. The system may still refuse the table its memory: then the first keyed call throws
  /// std::bad_alloc.
  explicit RateLimiter(const Limit& limit, Options options = {});
  static Result<RateLimiter> make(const Limit& limit, Options options = {});
  /// Waits that are pending end as `closed`. Reservations may outlive it. A limiter that was moved from can
  /// only be destroyed or assigned to.
  ~RateLimiter();
  RateLimiter(RateLimiter&&) noexcept;
  RateLimiter& operator=(RateLimiter&&) noexcept;

  const Limit& limit() const;
  /// The time of its clock.
  Time now() const;

  /// Decides, and charges what it admits. What is denied costs nothing.
  Outcome check(Cost cost = Cost{1});
  Outcome check(Cost cost, Time now);
  Outcome check(Key key, Cost cost = Cost{1});
  Outcome check(Key key, Cost cost, Time now);
  /// Many keys at one instant, in their order; cheaper than one by one. REQUIRES: outcomes.size() ==
  /// keys.size() (throws std::invalid_argument).
  void check_each(std::span<const Key> keys, std::span<Outcome> outcomes, Cost cost = Cost{1});
  void check_each(std::span<const Key> keys, std::span<Outcome> outcomes, Cost cost, Time now);
  /// All of several buckets, or none: admitted when every key's bucket admits it. A denial speaks of the
  /// longest wait, an admission of the bucket with the least remaining. Admits when there are no keys.
  Outcome check_all(std::span<const Key> keys, Cost cost = Cost{1});
  Outcome check_all(std::span<const Key> keys, Cost cost, Time now);

  /// What check would say, without changing anything.
  Outcome peek(Cost cost = Cost{1}) const;
  Outcome peek(Cost cost, Time now) const;
  Outcome peek(Key key, Cost cost = Cost{1}) const;
  Outcome peek(Key key, Cost cost, Time now) const;

  /// Gives back; stops when the bucket is full, and does nothing for a window that has passed.
  void refund(Cost cost = Cost{1});
  void refund(Cost cost, Time now);
  void refund(Key key, Cost cost = Cost{1});
  void refund(Key key, Cost cost, Time now);

  /// Takes what has been used already, whatever is left; into debt of at most one capacity.
  void charge(Cost cost = Cost{1});
  void charge(Cost cost, Time now);
  void charge(Key key, Cost cost = Cost{1});
  void charge(Key key, Cost cost, Time now);

  /// Holds a cost for at most `ttl` by the limiter's clock: see weir/reservation.h. Where all places are
  /// taken and the bucket would admit, the outcome's retry_after is an estimate of at most a second. Throws
  /// std::invalid_argument unless ttl > 0.
  Reservation reserve(Cost cost, std::chrono::nanoseconds ttl);
  Reservation reserve(Key key, Cost cost, std::chrono::nanoseconds ttl);

  /// `{}` for options, where a Key could be meant.
  enum class NoOptions : std::uint8_t {};

  /// Waits by the limiter's clock: see weir/waiting.h. These block; not from inside of a WaitDone.
  Waited acquire(NoOptions) { return acquire(WaitOptions{}); }
  Waited acquire(WaitOptions options = {});
  Waited acquire(Key key, WaitOptions options = {});
  void acquire_then(WaitOptions options, WaitDone done);
  void acquire_then(Key key, WaitOptions options, WaitDone done);
  Acquisition acquire_async(NoOptions) { return acquire_async(WaitOptions{}); }
  Acquisition acquire_async(WaitOptions options = {});
  Acquisition acquire_async(Key key, WaitOptions options = {});

 private:
  class Core;
  explicit RateLimiter(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace weir
