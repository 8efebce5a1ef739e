// Limits as values: how much, per what, in which manner.
//
//   using namespace std::chrono_literals;
//   weir::token_bucket(5, weir::per(10s)).burst(10)     // 5 each 10 s on average, 10 at once
//   weir::gcra(5, weir::per(10s)).burst(10)             // the same law under its other name
//   weir::leaky_bucket(100, weir::per(1s)).burst(50)    // one each 10 ms; 50 may wait
//   weir::fixed_window(1000, weir::per(1h))             // 1000 in each hour of the clock
//   weir::fixed_window(30, weir::per(weir::CalendarUnit::day))   // 30 each day, from 00:00 UTC
//   weir::sliding_log(5, weir::per(1min))               // 5 in any trailing minute, exactly
//   weir::sliding_counter(5000, weir::per(1min))        // nearly that, in three words
//
// A builder holds no state and checks nothing; what it comes to is a weir::Limit. A limit that can't be (a
// burst of 0, more than 2^62 - 1 units, a bucket that takes centuries to fill) is refused by what is made of
// it: RateLimiter's constructor throws, RateLimiter::make returns the sentence. A quota of 0 is a limit: it
// admits nothing. docs/algorithms.md says what each one admits, and what it is for.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <variant>

#include "weir/limit/limit.h"

namespace weir {

/// A span of time, or a calendar period (which only fixed_window can follow).
class Period {
 public:
  explicit Period(Nanos span) : value_(span) {}
  explicit Period(Calendar calendar) : value_(std::move(calendar)) {}
  const std::variant<Nanos, Calendar>& value() const { return value_; }

 private:
  std::variant<Nanos, Calendar> value_;
};

/// Whole nanoseconds. Throws std::invalid_argument for what they can't hold: beyond 106,751 days (292 years).
template <std::integral Rep, class Unit>
requires std::convertible_to<std::chrono::duration<Rep, Unit>, std::chrono::nanoseconds> Period
per(std::chrono::duration<Rep, Unit> span) {
  using Counted = std::chrono::duration<std::intmax_t, Unit>;
  constexpr std::intmax_t kMost =
      std::chrono::duration_cast<Counted>(std::chrono::nanoseconds::max()).count();
  if (std::cmp_greater(span.count(), kMost) || std::cmp_less(span.count(), -kMost)) {
    throw std::invalid_argument("weir: a period of more than 106,751 days (292 years)");
  }
  return Period(std::chrono::nanoseconds(span).count());
}
/// A day, week (from Monday), month or year of UTC.
Period per(CalendarUnit unit);
/// The same in a time zone, or from another time of day: per(Calendar(CalendarUnit::day, zone, 5 * kHour)).
Period per(Calendar calendar);

/// token_bucket and gcra. Without burst(), the capacity is the quota.
class TokenBucketLimit {
 public:
  TokenBucketLimit(Algorithm name, std::uint64_t quota, const Period& per);
  /// The capacity: what is admitted at once. At least 1.
  [[nodiscard]] TokenBucketLimit burst(std::uint64_t capacity) const;
  operator Limit() const { return limit_; }  // NOLINT(google-explicit-constructor)

 private:
  Limit limit_;
};

/// leaky_bucket. Without burst(), nobody may wait.
class LeakyBucketLimit {
 public:
  LeakyBucketLimit(std::uint64_t quota, const Period& per);
  /// How many may wait beyond the one that leaves.
  [[nodiscard]] LeakyBucketLimit burst(std::uint64_t waiting) const;
  operator Limit() const { return limit_; }  // NOLINT(google-explicit-constructor)

 private:
  Limit limit_;
};

/// fixed_window.
class FixedWindowLimit {
 public:
  FixedWindowLimit(std::uint64_t quota, const Period& per);
  /// Each key's windows begin at a time of its own, so that not everybody returns at once. Spans only.
  [[nodiscard]] FixedWindowLimit aligned_by_key() const;
  operator Limit() const { return limit_; }  // NOLINT(google-explicit-constructor)

 private:
  Limit limit_;
};

/// Bursts up to burst(), and quota per period on average.
TokenBucketLimit token_bucket(std::uint64_t quota, const Period& per);
/// The same law, told as a theoretical arrival time.
TokenBucketLimit gcra(std::uint64_t quota, const Period& per);
/// A queue that leaks at a fixed rate: Outcome::delay tells each caller how long to hold its request back.
LeakyBucketLimit leaky_bucket(std::uint64_t quota, const Period& per);
/// A counter per window; up to twice the quota across an edge between two.
FixedWindowLimit fixed_window(std::uint64_t quota, const Period& per);
/// At most quota in any trailing window, at the price of 16 bytes for each admission in it.
Limit sliding_log(std::uint64_t quota, const Period& per);
/// Two weighted counters: close to sliding_log, in three words.
Limit sliding_counter(std::uint64_t quota, const Period& per);

}  // namespace weir
