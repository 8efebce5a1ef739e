#include "weir/replay/policy_dimensions.h"

#include <set>

namespace weir {

std::vector<std::string> dimensions_of(const Policy& policy) {
  std::set<std::string> names{"ip", "method", "endpoint", "account"};
  for (const Rule& rule : policy.rules()) names.insert(rule.key.begin(), rule.key.end());
  return {names.begin(), names.end()};
}

}  // namespace weir
