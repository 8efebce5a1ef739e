#include "weir/replay/policy_dimensions.h"

#include "weir/policy/policy_index.h"

namespace weir {

std::vector<std::string> dimensions_of(const Policy& policy) {
  const Dimensions& dimensions = policy.index().dimensions();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < dimensions.size(); ++i) {
    if (!dimensions[i].derived) names.push_back(dimensions[i].name);
  }
  return names;
}

}  // namespace weir
