// What is wrong with rules that are each right by themselves.
#pragma once

#include <span>

#include "weir/policy/dimensions.h"
#include "weir/policy/problems.h"
#include "weir/policy/rule_reader.h"

namespace weir {

/// Reports rules of one name, rules that say the same, and rules that count in one bucket but not alike.
void check_conflicts(std::span<const ParsedRule> rules, const Dimensions& dimensions, Problems& problems);

}  // namespace weir
