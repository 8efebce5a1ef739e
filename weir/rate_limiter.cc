#include "weir/rate_limiter.h"

#include <future>
#include <stdexcept>
#include <string>
#include <utility>

#include "weir/limiter/limiter_core.h"
#include "weir/limiter/options.h"
#include "weir/limiter/outcomes.h"

namespace weir {

using limiter::LimiterCore;
using limiter::nanos;
using limiter::Place;
using Clocked = limiter::KeyedBuckets::Clocked;

class RateLimiter::Core : public LimiterCore {
 public:
  using LimiterCore::LimiterCore;
};

namespace {

constexpr Place kSingle{};

std::string sentence(const LimitError& error) {
  return error.field + ": " + error.message;
}

/// `now` of the limiter's own clock, once what is due has been done.
Nanos enter(LimiterCore& core) {
  const Nanos now = core.now();
  core.enter(now);
  return now;
}

/// A `now` that was given, for a bucket with a key.
Nanos enter_keyed(LimiterCore& core, Time given) {
  const Nanos now = core.keyed().never_back(nanos(given));
  core.enter(now);
  return now;
}

Outcome told_from(Time given, Nanos at, Outcome outcome) {
  return limiter::with_longer_waits(outcome, saturating_sub(at, nanos(given)));
}

void require_same_size(std::span<const Key> keys, std::span<Outcome> outcomes) {
  if (keys.size() != outcomes.size())
    throw std::invalid_argument("weir: check_each wants an outcome for each key");
}

}  // namespace

RateLimiter::RateLimiter(const Limit& limit, Options options) {
  auto made = make(limit, std::move(options));
  if (!made) throw std::invalid_argument(made.error().message);
  core_ = std::move(made.value().core_);
}

RateLimiter::RateLimiter(std::shared_ptr<Core> core) : core_(std::move(core)) {}

Result<RateLimiter> RateLimiter::make(const Limit& limit, Options options) {
  if (const auto error = find_error(limit)) return Error{sentence(*error)};
  if (const Status checked = limiter::check(options); !checked) return checked.error();
  return RateLimiter(std::make_shared<Core>(limit, std::move(options)));
}

RateLimiter::~RateLimiter() {
  if (core_) core_->close();
}

RateLimiter::RateLimiter(RateLimiter&&) noexcept = default;

RateLimiter& RateLimiter::operator=(RateLimiter&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->close();
  core_ = std::move(other.core_);
  return *this;
}

const Limit& RateLimiter::limit() const {
  return core_->limit();
}

Time RateLimiter::now() const {
  return limiter::time_of(core_->now());
}

Outcome RateLimiter::check(Cost cost) {
  const Nanos now = enter(*core_);
  return core_->decide_single(now, cost.units());
}

Outcome RateLimiter::check(Cost cost, Time now) {
  core_->enter(nanos(now));
  return core_->decide_single(nanos(now), cost.units());
}

Outcome RateLimiter::check(Key key, Cost cost) {
  const Nanos now = enter(*core_);
  limiter::KeyedBuckets& keyed = core_->keyed();
  return keyed.decide(keyed.bucket_of(key), now, cost.units());
}

Outcome RateLimiter::check(Key key, Cost cost, Time now) {
  const Nanos at = enter_keyed(*core_, now);
  limiter::KeyedBuckets& keyed = core_->keyed();
  return told_from(now, at, keyed.decide_given(keyed.bucket_of(key), at, cost.units()));
}

void RateLimiter::check_each(std::span<const Key> keys, std::span<Outcome> outcomes, Cost cost) {
  require_same_size(keys, outcomes);
  core_->keyed().decide_each(keys, enter(*core_), cost.units(), outcomes);
}

void RateLimiter::check_each(std::span<const Key> keys, std::span<Outcome> outcomes, Cost cost, Time now) {
  require_same_size(keys, outcomes);
  const Nanos at = enter_keyed(*core_, now);
  core_->keyed().decide_each(keys, at, cost.units(), outcomes, Clocked::given);
  if (at == nanos(now)) return;
  for (Outcome& outcome : outcomes) outcome = told_from(now, at, outcome);
}

Outcome RateLimiter::check_all(std::span<const Key> keys, Cost cost) {
  return core_->keyed().decide_all(keys, enter(*core_), cost.units());
}

Outcome RateLimiter::check_all(std::span<const Key> keys, Cost cost, Time now) {
  const Nanos at = enter_keyed(*core_, now);
  return told_from(now, at, core_->keyed().decide_all(keys, at, cost.units(), Clocked::given));
}

Outcome RateLimiter::peek(Cost cost) const {
  return core_->peek(kSingle, enter(*core_), cost.units());
}

Outcome RateLimiter::peek(Cost cost, Time now) const {
  core_->enter(nanos(now));
  return core_->peek(kSingle, nanos(now), cost.units());
}

Outcome RateLimiter::peek(Key key, Cost cost) const {
  return core_->peek(core_->place_of(key), enter(*core_), cost.units());
}

Outcome RateLimiter::peek(Key key, Cost cost, Time now) const {
  const Nanos at = enter_keyed(*core_, now);
  return told_from(now, at, core_->peek(core_->place_of(key), at, cost.units()));
}

void RateLimiter::refund(Cost cost) {
  core_->refund(kSingle, enter(*core_), cost.units());
}

void RateLimiter::refund(Cost cost, Time now) {
  core_->enter(nanos(now));
  core_->refund(kSingle, nanos(now), cost.units());
}

void RateLimiter::refund(Key key, Cost cost) {
  core_->refund(core_->place_of(key), enter(*core_), cost.units());
}

void RateLimiter::refund(Key key, Cost cost, Time now) {
  const Nanos at = enter_keyed(*core_, now);
  const Place place = core_->place_of(key);
  core_->refund_given(place, at, cost.units());
}

void RateLimiter::charge(Cost cost) {
  core_->charge(kSingle, enter(*core_), cost.units());
}

void RateLimiter::charge(Cost cost, Time now) {
  core_->enter(nanos(now));
  core_->charge(kSingle, nanos(now), cost.units());
}

void RateLimiter::charge(Key key, Cost cost) {
  core_->charge(core_->place_of(key), enter(*core_), cost.units());
}

void RateLimiter::charge(Key key, Cost cost, Time now) {
  core_->keyed().charge_given(core_->place_of(key).bucket, enter_keyed(*core_, now), cost.units());
}

Reservation RateLimiter::reserve(Cost cost, std::chrono::nanoseconds ttl) {
  return core_->reserve(kSingle, cost, ttl);
}

Reservation RateLimiter::reserve(Key key, Cost cost, std::chrono::nanoseconds ttl) {
  return core_->reserve(core_->place_of(key), cost, ttl);
}

namespace {

/// Blocks this thread until it is done.
Waited block(LimiterCore& core, Place place, WaitOptions options) {
  const auto done = std::make_shared<std::promise<Waited>>();
  std::future<Waited> waited = done->get_future();
  core.wait(place, std::move(options), [done](const Waited& result) { done->set_value(result); });
  return waited.get();
}

Acquisition acquisition(std::shared_ptr<LimiterCore> core, Place place, WaitOptions options) {
  return {std::move(options.stop), [core = std::move(core), place, cost = options.cost,
                                    within = options.within](std::stop_token stop, WaitDone done) {
            core->wait(place, {.cost = cost, .within = within, .stop = std::move(stop)}, std::move(done));
          }};
}

}  // namespace

Waited RateLimiter::acquire(WaitOptions options) {
  return block(*core_, kSingle, std::move(options));
}

Waited RateLimiter::acquire(Key key, WaitOptions options) {
  return block(*core_, core_->place_of(key), std::move(options));
}

void RateLimiter::acquire_then(WaitOptions options, WaitDone done) {
  core_->wait(kSingle, std::move(options), std::move(done));
}

void RateLimiter::acquire_then(Key key, WaitOptions options, WaitDone done) {
  core_->wait(core_->place_of(key), std::move(options), std::move(done));
}

Acquisition RateLimiter::acquire_async(WaitOptions options) {
  return acquisition(core_, kSingle, std::move(options));
}

Acquisition RateLimiter::acquire_async(Key key, WaitOptions options) {
  return acquisition(core_, core_->place_of(key), std::move(options));
}

}  // namespace weir
