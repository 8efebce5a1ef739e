// A Rule: a name, a match on dimensions, the key, a Limit with its overrides, and what to do on violation.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "weir/limit/limit.h"

namespace weir {

/// What happens to a request that goes over. `delay` is leaky_bucket's; a shadow rule has buckets of its own
/// and never changes the outcome.
enum class Action : std::uint8_t { deny, delay, shadow };
/// As policies write it, and answers show it.
constexpr std::string_view name_of(Action action) {
  switch (action) {
    case Action::deny:
      return "deny";
    case Action::delay:
      return "delay";
    case Action::shadow:
      break;
  }
  return "shadow";
}
/// When a dimension of the key is missing: the rule does not apply; all such requests share a bucket; or it
/// is denied.
enum class OnMissing : std::uint8_t { skip, shared, deny };
/// When no bucket can be had because the store is full.
enum class OnFull : std::uint8_t { deny, allow };
/// When a shared store can't be asked.
enum class OnStoreError : std::uint8_t { allow, deny, local };
/// Whether a request is charged by all its rules or by none, or by each for itself.
enum class Charging : std::uint8_t { all_or_nothing, each };

/// One of the limits that a rule can give: its own, or that of an override.
struct RuleLimit {
  /// Nothing holds those whom it applies to. `limit` then has no meaning.
  bool unlimited = false;
  Limit limit;
  /// What keeps the buckets of this limit apart from all others: the same before and after a reload that
  /// changes no more than quota or burst, and another one when rule, key, override, algorithm or period
  /// change.
  std::string bucket_name;
  /// For people: "rule's own limit", or what its override matches: "ip 203.0.113.0/24".
  std::string because;
};

struct Rule {
  std::string name;
  /// Names of the dimensions whose values name one bucket; none for one global bucket.
  std::vector<std::string> key;
  /// limits[0] is the rule's own, then one per override in the order of the file.
  std::vector<RuleLimit> limits;
  Action action = Action::deny;
  /// A request of cost n takes n times this from the rule's buckets.
  std::uint64_t cost = 1;
  bool charge_denied = false;
  OnMissing on_missing = OnMissing::skip;
  OnFull on_full = OnFull::deny;
  OnStoreError on_store_error = OnStoreError::allow;

  /// What a request of this cost takes from the rule's buckets; the maximum, which is above every capacity,
  /// where it does not fit.
  std::uint64_t units(std::uint64_t request_cost) const {
    std::uint64_t units = 0;
    const bool too_many = __builtin_mul_overflow(cost, request_cost, &units);
    return too_many ? std::numeric_limits<std::uint64_t>::max() : units;
  }
};

}  // namespace weir
