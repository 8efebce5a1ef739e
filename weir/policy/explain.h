// Why a request meets the rules that it meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/policy/policy.h"

namespace weir {

struct Explanation {
  struct DimensionShown {
    std::string name;
    /// In its normal form, as rules and keys see it.
    std::string value;
    /// Looked up in a table.
    bool derived;
  };
  struct KeyPart {
    std::string dimension;
    /// Empty when the request lacks it.
    std::string value;
  };
  struct RuleShown {
    /// Into Policy::rules(), and into that rule's limits.
    std::uint32_t rule;
    std::uint32_t limit;
    /// "endpoint fits /files/*, ip is in 203.0.113.0/24"; "it applies to every request".
    std::string applies_because;
    /// "rule's own limit", or what the override matches: "plan paid".
    std::string limit_because;
    std::vector<KeyPart> key;
    /// A dimension of the key is missing, and the rule denies such requests.
    bool missing;
  };
  struct RuleSkipped {
    std::uint32_t rule;
    /// The dimensions of its key that the request lacks.
    std::vector<std::string> missing;
  };

  std::vector<DimensionShown> dimensions;
  /// Names that the request gives in vain: no rule speaks of them, or they are looked up and can't be given.
  std::vector<std::string> ignored;
  /// The rule that lifts all others. `rules` and `skipped` are then empty.
  std::optional<std::uint32_t> unlimited_by;
  std::vector<RuleShown> rules;
  std::vector<RuleSkipped> skipped;
  /// How many rules do not apply.
  std::size_t others = 0;
};

/// What Policy::match does with `request`, for people.
Explanation explain(const Policy& policy, const Request& request);

}  // namespace weir
