#include "weir/policy/dimensions.h"

namespace weir {

std::uint32_t Dimensions::intern(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(infos_.size());
  const std::uint32_t number = numbers_.insert(name, next);
  if (number == next) infos_.push_back({std::string(name), Normalizer::for_dimension(name)});
  return number;
}

}  // namespace weir
