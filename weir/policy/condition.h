// What a rule or an override asks of one dimension: that its value is one of a few.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weir/policy/normalizer.h"
#include "weir/policy/pattern.h"

namespace weir {

/// One thing that a value may be: a text, an address among those of a prefix, or a text that fits a pattern.
/// All are in the normal form of their dimension.
struct Atom {
  std::variant<std::string, Prefix, Pattern> is;

  bool matches(const Value& value) const;
  /// The same for two atoms exactly if they match the same values for the same reason.
  std::string identity() const;
  /// For people: "/login", "203.0.113.0/24", "/verify/{}".
  std::string text() const;
};

/// How narrow a condition is; the larger comes first. A single value, then a single pattern or prefix by the
/// length of what it fixes, then a list.
struct Specificity {
  std::uint32_t exact = 0;
  std::uint32_t patterns = 0;
  /// Bits that patterns and prefixes fix: eight for each byte of a pattern's literals.
  std::uint64_t bits = 0;
};

struct Condition {
  /// The number of the dimension in the policy.
  std::uint32_t dimension = 0;
  std::vector<Atom> any_of;
  /// Written as a list, be it of one.
  bool is_list = false;

  Specificity specificity() const;
};

/// A match is all of its conditions, each on a dimension of its own, ascending by dimension name.
using Conditions = std::vector<Condition>;

/// Reads the match value `node` of a dimension that `normalizer` brings to its normal form.
std::optional<Condition> read_condition(const YamlNode& node, const Normalizer& normalizer,
                                        const Reporter& report);

}  // namespace weir
