#include "weir/policy_limiter.h"

#include <future>
#include <new>
#include <stdexcept>
#include <utility>

#include "weir/limiter/options.h"
#include "weir/limiter/policy_core.h"

namespace weir {

using limiter::OwnedDimensions;

class PolicyLimiter::Core : public limiter::PolicyCore {
 public:
  using PolicyCore::PolicyCore;

  Status replace(Result<Policy> policy) {
    if (!policy) return policy.error();
    try {
      reload(std::make_shared<const Policy>(*std::move(policy)));
    } catch (const std::length_error& too_many) {
      return Error{too_many.what()};
    }
    return Done{};
  }
};

PolicyLimiter::PolicyLimiter(std::shared_ptr<Core> core) : core_(std::move(core)) {}

PolicyLimiter::PolicyLimiter(const std::filesystem::path& path, Options options) {
  auto loaded = load(path, std::move(options));
  if (!loaded) throw std::invalid_argument(loaded.error().message);
  core_ = std::move(loaded.value().core_);
}

Result<PolicyLimiter> PolicyLimiter::load(const std::filesystem::path& path, Options options) {
  return made(Policy::load(path), std::move(options));
}

Result<PolicyLimiter> PolicyLimiter::parse(std::string_view yaml, Options options, std::string_view name,
                                           const std::filesystem::path& folder) {
  return made(Policy::parse(yaml, name, folder), std::move(options));
}

Result<PolicyLimiter> PolicyLimiter::made(Result<Policy> policy, Options options) {
  if (!policy) return policy.error();
  if (const Status checked = limiter::check(options); !checked) return checked.error();
  try {
    return PolicyLimiter(
        std::make_shared<Core>(std::make_shared<const Policy>(*std::move(policy)), std::move(options)));
  } catch (const std::bad_alloc&) {
    return Error{"max_memory: the system has not got that much for one process"};
  } catch (const std::length_error& too_many) {
    return Error{too_many.what()};
  }
}

PolicyLimiter::~PolicyLimiter() {
  if (core_) core_->close();
}

PolicyLimiter::PolicyLimiter(PolicyLimiter&&) noexcept = default;

PolicyLimiter& PolicyLimiter::operator=(PolicyLimiter&& other) noexcept {
  if (this == &other) return *this;
  if (core_) core_->close();
  core_ = std::move(other.core_);
  return *this;
}

PolicyOutcome PolicyLimiter::check(Dimensions dimensions, Cost cost) {
  return core_->decide(dimensions.span(), cost.units(), {.at = core_->now()});
}

PolicyOutcome PolicyLimiter::check(Dimensions dimensions, Cost cost, Time now) {
  return core_->decide(dimensions.span(), cost.units(), core_->never_back(now));
}

void PolicyLimiter::check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes) {
  core_->decide_each(requests, outcomes, {.at = core_->now()});
}

void PolicyLimiter::check_each(std::span<const Request> requests, std::span<PolicyOutcome> outcomes,
                               Time now) {
  core_->decide_each(requests, outcomes, core_->never_back(now));
}

PolicyOutcome PolicyLimiter::peek(Dimensions dimensions, Cost cost) const {
  return core_->peek(dimensions.span(), cost.units(), {.at = core_->now()});
}

PolicyOutcome PolicyLimiter::peek(Dimensions dimensions, Cost cost, Time now) const {
  return core_->peek(dimensions.span(), cost.units(), core_->never_back(now));
}

void PolicyLimiter::refund(Dimensions dimensions, Cost cost) {
  core_->refund(dimensions.span(), cost.units(), {.at = core_->now()});
}

void PolicyLimiter::refund(Dimensions dimensions, Cost cost, Time now) {
  core_->refund(dimensions.span(), cost.units(), core_->never_back(now));
}

void PolicyLimiter::charge(Dimensions dimensions, Cost cost) {
  core_->charge(dimensions.span(), cost.units(), {.at = core_->now()});
}

void PolicyLimiter::charge(Dimensions dimensions, Cost cost, Time now) {
  core_->charge(dimensions.span(), cost.units(), core_->never_back(now));
}

Reservation PolicyLimiter::reserve(Dimensions dimensions, Cost cost, std::chrono::nanoseconds ttl) {
  return core_->reserve(dimensions.span(), cost, ttl);
}

Waited PolicyLimiter::acquire(Dimensions dimensions, WaitOptions options) {
  const auto done = std::make_shared<std::promise<Waited>>();
  std::future<Waited> waited = done->get_future();
  acquire_then(dimensions, std::move(options), [done](const Waited& result) { done->set_value(result); });
  return waited.get();
}

void PolicyLimiter::acquire_then(Dimensions dimensions, WaitOptions options, WaitDone done) {
  core_->wait(std::make_shared<const OwnedDimensions>(dimensions), std::move(options), std::move(done));
}

Acquisition PolicyLimiter::acquire_async(Dimensions dimensions, WaitOptions options) {
  return {std::move(options.stop),
          [core = core_, owned = std::make_shared<const OwnedDimensions>(dimensions), cost = options.cost,
           within = options.within](std::stop_token stop, WaitDone done) {
            core->wait(owned, {.cost = cost, .within = within, .stop = std::move(stop)}, std::move(done));
          }};
}

Status PolicyLimiter::reload(const std::filesystem::path& path) {
  return core_->replace(Policy::load(path));
}

Status PolicyLimiter::reload_text(std::string_view yaml, std::string_view name,
                                  const std::filesystem::path& folder) {
  return core_->replace(Policy::parse(yaml, name, folder));
}

Time PolicyLimiter::now() const {
  return limiter::time_of(core_->now());
}

}  // namespace weir
