// What a limiter says: admitted, not until, or never.
//
//   if (auto d = chat.check(player); !d) {
//     if (d.retry_after.is_never()) return refuse_for_good();   // a cost above the capacity, or a quota of 0
//     return too_many_requests(d.retry_after.whole_seconds());  // rounded up: waiting it is waiting enough
//   }
//
// "Never" can't be read as a number: Wait::get() throws on it, and it compares as longer than any time.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <stdexcept>

#include "weir/base/time.h"

namespace weir {

/// An instant of the wall clock, in nanoseconds; reaches from 1677 to 2262.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

/// How long to wait: nothing, for a time, or in vain.
class Wait {
 public:
  /// No wait at all.
  constexpr Wait() = default;
  static constexpr Wait of(std::chrono::nanoseconds d) {
    return Wait(d.count() < kNever ? d.count() : kNever - 1);
  }
  static constexpr Wait never() { return Wait(kNever); }

  constexpr bool is_never() const { return nanos_ == kNever; }
  /// Exact. Throws std::logic_error when it is never.
  constexpr std::chrono::nanoseconds get() const {
    if (is_never()) throw std::logic_error("weir: no wait is long enough; ask is_never() before get()");
    return std::chrono::nanoseconds(nanos_);
  }
  /// Rounded up, so that who waits them has waited long enough. Throws as get() does.
  constexpr std::chrono::seconds whole_seconds() const {
    return std::chrono::ceil<std::chrono::seconds>(get());
  }

  /// Never is longer than any time.
  friend constexpr auto operator<=>(Wait, Wait) = default;

 private:
  static constexpr Nanos kNever = kForever;
  explicit constexpr Wait(Nanos nanos) : nanos_(nanos) {}
  Nanos nanos_ = 0;
};

enum class Admission : std::uint8_t { admitted, not_until, never };

struct [[nodiscard]] Outcome {
  Admission admission = Admission::never;
  /// Nothing when admitted. Denied: the shortest wait after which the same request, alone, is admitted; a
  /// nanosecond less is too early. An estimate only where a place is wanted that others hold: of a full table
  /// of keys, or for a reservation.
  Wait retry_after = Wait::never();
  /// leaky_bucket, admitted: how long to hold the request back until its turn. 0 elsewhere.
  std::chrono::nanoseconds delay{0};
  /// The most that the bucket holds.
  std::uint64_t limit = 0;
  /// What would still be admitted at this instant, after this request.
  std::uint64_t remaining = 0;
  /// Until the bucket is as if never used, if nothing else comes.
  std::chrono::nanoseconds reset_after{0};

  bool admitted() const { return admission == Admission::admitted; }
  explicit operator bool() const { return admitted(); }
};

}  // namespace weir
