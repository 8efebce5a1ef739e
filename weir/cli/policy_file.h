// Where the policies of the command line come from.
#pragma once

#include <string>

#include "weir/policy/policy.h"

namespace weir {

/// As Policy::load, and standard input where `path` is "-".
Result<Policy> load_policy(const std::string& path);

}  // namespace weir
