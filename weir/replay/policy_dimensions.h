// Which dimensions of a request a policy looks at.
#pragma once

#include <string>
#include <vector>

#include "weir/policy/policy.h"

namespace weir {

/// What a log must be asked for: every dimension that a match, a key or a look-up of `policy` names.
std::vector<std::string> dimensions_of(const Policy& policy);

}  // namespace weir
