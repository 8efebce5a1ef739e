#include "weir/limits.h"

#include <utility>

namespace weir {
namespace {

Limit make(Algorithm algorithm, std::uint64_t quota, const Period& per) {
  return {.algorithm = algorithm, .quota = quota, .per = per.value()};
}

}  // namespace

Period per(CalendarUnit unit) {
  return Period(Calendar(unit));
}

Period per(Calendar calendar) {
  return Period(std::move(calendar));
}

TokenBucketLimit::TokenBucketLimit(Algorithm name, std::uint64_t quota, const Period& per)
    : limit_(make(name, quota, per)) {}

TokenBucketLimit TokenBucketLimit::burst(std::uint64_t capacity) const {
  TokenBucketLimit copy = *this;
  copy.limit_.burst = capacity;
  return copy;
}

LeakyBucketLimit::LeakyBucketLimit(std::uint64_t quota, const Period& per)
    : limit_(make(Algorithm::leaky_bucket, quota, per)) {}

LeakyBucketLimit LeakyBucketLimit::burst(std::uint64_t waiting) const {
  LeakyBucketLimit copy = *this;
  copy.limit_.burst = waiting;
  return copy;
}

FixedWindowLimit::FixedWindowLimit(std::uint64_t quota, const Period& per)
    : limit_(make(Algorithm::fixed_window, quota, per)) {}

FixedWindowLimit FixedWindowLimit::aligned_by_key() const {
  FixedWindowLimit copy = *this;
  copy.limit_.align = Align::key;
  return copy;
}

TokenBucketLimit token_bucket(std::uint64_t quota, const Period& per) {
  return {Algorithm::token_bucket, quota, per};
}

TokenBucketLimit gcra(std::uint64_t quota, const Period& per) {
  return {Algorithm::gcra, quota, per};
}

LeakyBucketLimit leaky_bucket(std::uint64_t quota, const Period& per) {
  return {quota, per};
}

FixedWindowLimit fixed_window(std::uint64_t quota, const Period& per) {
  return {quota, per};
}

Limit sliding_log(std::uint64_t quota, const Period& per) {
  return make(Algorithm::sliding_log, quota, per);
}

Limit sliding_counter(std::uint64_t quota, const Period& per) {
  return make(Algorithm::sliding_counter, quota, per);
}

}  // namespace weir
