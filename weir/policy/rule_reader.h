// One rule of a policy file, read and checked by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/policy/condition.h"
#include "weir/policy/dimensions.h"
#include "weir/policy/limit_reader.h"
#include "weir/policy/rule.h"

namespace weir {

/// A rule, and what of it requests are matched by.
struct ParsedRule {
  Rule rule;
  Place place;
  Conditions match;
  /// The match of override i, which gives rule.limits[i + 1].
  std::vector<Conditions> overrides;
  std::vector<std::uint32_t> key;
  /// What its buckets are counted as: its `count_as`, or its name.
  std::string counted_as;
  bool unlimited = false;
};

/// Reads an item of `rules:`. Dimensions that it names are numbered in `dimensions`.
std::optional<ParsedRule> read_rule(const YamlNode& node, const CalendarSettings& calendar,
                                    Dimensions& dimensions, Problems& problems);

/// The same for two matches exactly if they ask for the same.
std::string identity_of(const Conditions& match, const Dimensions& dimensions);
/// For people: "endpoint /login, ip 203.0.113.0/24"; "every request" without conditions.
std::string describe(const Conditions& match, const Dimensions& dimensions);

}  // namespace weir
