// From the trees of policy files to a policy that is ready to match.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "weir/policy/policy_index.h"
#include "weir/policy/problems.h"
#include "weir/policy/yaml.h"

namespace weir {

/// Several files are one policy: their rules follow one another, and what else they say they must agree on.
/// Tables that `lookup` names are looked for in `folder`. Null when `problems` has something to say.
std::unique_ptr<PolicyIndex> compile_policy(std::vector<YamlNode> files, const std::filesystem::path& folder,
                                            Problems& problems);

}  // namespace weir
