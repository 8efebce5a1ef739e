#include "weir/limiter/limiter_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "weir/base/wide.h"
#include "weir/limit/charge.h"
#include "weir/limiter/options.h"

namespace weir::limiter {
namespace {

/// How long `cost` places in a queue last; rounded down, so that nobody is let out before their turn.
std::chrono::nanoseconds places_last(const Limit& limit, std::uint64_t cost) {
  if (limit.algorithm != Algorithm::leaky_bucket || limit.quota == 0) return {};
  const Wide span = Wide{cost} * static_cast<std::uint64_t>(std::get<Nanos>(limit.per)) / limit.quota;
  return std::chrono::nanoseconds(
      static_cast<Nanos>(std::min<Wide>(span, static_cast<std::uint64_t>(kForever))));
}

}  // namespace

LimiterCore::LimiterCore(const Limit& limit, RateLimiterOptions options)
    : limit_(limit),
      clock_(clock_of(options)),
      options_(std::move(options)),
      start_(nanos(clock_->now())),
      holds_(options_.max_reservations),
      single_(limit, TimeFrame::starting_at(start_)),
      room_(options_.timers, clock_) {}

LimiterCore::~LimiterCore() {
  close();
}

KeyedBuckets& LimiterCore::make_keyed() {
  const std::lock_guard lock(making_);
  if (!keyed_) {
    keyed_ = std::make_unique<KeyedBuckets>(limit_, options_, start_);
    keyed_ready_.store(keyed_.get(), std::memory_order_release);
  }
  return *keyed_;
}

Outcome LimiterCore::decide(Place place, Nanos now, std::uint64_t cost, std::optional<Nanos>* charged) {
  if (place.keyed) return keyed().decide(place.bucket, now, cost, charged);
  const Verdict said = single_.decide(now, {.cost = cost, .charge_denied = options_.charge_denied});
  if (charged) *charged = charged_at(limit_, now, said);
  return outcome_of(said);
}

Outcome LimiterCore::peek(Place place, Nanos now, std::uint64_t cost) {
  return place.keyed ? keyed().peek(place.bucket, now, cost) : outcome_of(single_.peek(now, cost));
}

void LimiterCore::refund(Place place, Nanos now, std::uint64_t cost) {
  refund_quietly(place, now, cost);
  tell_waiters(place);
}

void LimiterCore::refund_given(Place place, Nanos now, std::uint64_t cost) {
  keyed().refund_given(place.bucket, now, cost);
  tell_waiters(place);
}

void LimiterCore::refund_quietly(Place place, Nanos now, std::uint64_t cost) {
  place.keyed ? keyed().refund(place.bucket, now, cost) : single_.refund(now, cost);
}

void LimiterCore::charge(Place place, Nanos now, std::uint64_t cost) {
  place.keyed ? keyed().charge(place.bucket, now, cost) : single_.charge(now, cost);
}

// ---- Holds ----

Reservation LimiterCore::reserve(Place place, Cost cost, std::chrono::nanoseconds ttl) {
  if (ttl.count() <= 0) throw std::invalid_argument("weir: a reservation's time must be longer than 0");
  const Nanos at = now();
  enter(at);
  // A place for it first: what was charged could not be held otherwise, and nobody may be denied for that.
  const auto hold = holds_.enter();
  if (!hold) {
    Outcome full = peek(place, at, cost.units());
    if (full.admitted()) {
      const auto wait = holds_.wait_for_place(at);
      full.admission = wait ? Admission::not_until : Admission::never;
      full.retry_after = wait ? Wait::of(std::chrono::nanoseconds(*wait)) : Wait::never();
      full.delay = {};
    }
    return {shared_from_this(), 0, cost, full};
  }
  std::optional<Nanos> charged;
  const Outcome outcome = decide(place, at, cost.units(), &charged);
  if (!outcome) {
    holds_.leave(*hold);
    return {shared_from_this(), 0, cost, outcome};
  }
  holds_.arm(*hold, {place, cost.units(), charged}, saturating_add(at, ttl.count()));
  return {shared_from_this(), static_cast<std::uint64_t>(*hold), cost, outcome};
}

void LimiterCore::give_back(const Held& held, std::uint64_t cost, Nanos now) {
  give_back_quietly(held, cost, now);
  tell_waiters(held.place);
}

void LimiterCore::give_back_quietly(const Held& held, std::uint64_t cost, Nanos now) {
  if (!held.charged) return;
  const Charge from{*held.charged, held.cost};
  held.place.keyed ? keyed().give_back(held.place.bucket, now, cost, from)
                   : single_.give_back(now, cost, from);
}

Settlement LimiterCore::commit(std::uint64_t hold, std::uint64_t cost) {
  const Nanos at = now();
  enter(at);
  const auto taken = holds_.take(HoldId{hold});
  if (!taken) return Settlement::nothing;
  const Held& held = taken->held;
  if (taken->lapsed) {
    charge(held.place, at, cost);
    return Settlement::late;
  }
  if (cost > held.cost) charge(held.place, at, cost - held.cost);
  if (cost < held.cost) give_back(held, held.cost - cost, at);
  return Settlement::settled;
}

bool LimiterCore::cancel(std::uint64_t hold) {
  const auto taken = holds_.take(HoldId{hold});
  if (!taken || taken->lapsed) return false;
  const Nanos at = now();
  give_back(taken->held, taken->held.cost, at);
  return true;
}

void LimiterCore::lapse(Nanos now) {
  holds_.lapse(now, HoldBook<Held>::kLapses, [&](const Held& held) { give_back(held, held.cost, now); });
}

void LimiterCore::lapse_quietly(Nanos now) {
  holds_.lapse(now, HoldBook<Held>::kLapses,
               [&](const Held& held) { give_back_quietly(held, held.cost, now); });
}

// ---- Waits ----

void LimiterCore::tell_waiters(Place place) {
  if (WaitRoom* const waiting = room_.made()) waiting->poke(place.bucket);
}

Outcome LimiterCore::admit(Place place, Nanos now, std::uint64_t cost) {
  if (place.keyed) return keyed().admit(place.bucket, now, cost);
  return outcome_of(single_.decide(now, {.cost = cost, .charge_denied = false}));
}

Outcome LimiterCore::attempt(Place place, std::uint64_t cost, Time now, Time deadline) {
  if (holds_.due(nanos(now))) lapse_quietly(nanos(now));
  const auto too_late = [&](const Outcome& said) { return said.delay > deadline - now; };
  const auto refuse = [&](Outcome said) {
    said.admission = Admission::not_until;
    said.retry_after = Wait::of(said.delay);
    said.delay = {};
    return said;
  };
  const bool may_delay = limit_.algorithm == Algorithm::leaky_bucket && deadline != Time::max();
  if (may_delay) {
    const Outcome said = peek(place, nanos(now), cost);
    if (said.admitted() && too_late(said)) return refuse(said);
  }
  const Outcome said = admit(place, nanos(now), cost);
  if (!may_delay || !said.admitted() || !too_late(said)) return said;
  // Somebody was faster between the two.
  refund_quietly(place, nanos(now), cost);
  return refuse(said);
}

void LimiterCore::wait(Place place, WaitOptions options, WaitDone done) {
  WaitRoom* const here = room_.get();
  if (!here) return done(Waited{});
  const auto self = shared_from_this();  // what is done may end the limiter
  const Nanos at = now();
  enter(at);
  const std::uint64_t cost = options.cost.units();
  here->enter({.line = place.bucket,
               .deadline = time_of(saturating_add(at, std::max<Nanos>(0, options.within.count()))),
               .stop = std::move(options.stop),
               .attempt = [this, place, cost](Time t, Time until) { return attempt(place, cost, t, until); },
               .peek = [this, place, cost](Time t) { return peek(place, nanos(t), cost); },
               .next_chance = [this] { return time_of(holds_.next_expiry()); },
               .give_back =
                   [this, place, cost](Time t, bool place_too) {
                     if (place_too) refund_quietly(place, nanos(t), cost);
                   },
               .place_lasts = places_last(limit_, cost),
               .next_turn =
                   [this, place](Time t) {
                     return time_of(saturating_add(nanos(t), peek(place, nanos(t), 0).delay.count()));
                   },
               .done = std::move(done)});
}

}  // namespace weir::limiter
