#include "weir/policy/dimensions.h"

namespace weir {

std::uint32_t Dimensions::intern(std::string_view name) {
  const auto next = static_cast<std::uint32_t>(infos_.size());
  const std::uint32_t number = numbers_.insert(name, next);
  if (number == next) infos_.push_back({std::string(name), Normalizer::for_dimension(name)});
  return number;
}

std::optional<std::uint32_t> Dimensions::find(std::string_view name) const {
  // Most policies speak of a handful, which are compared faster than a name is hashed.
  constexpr std::size_t handful = 8;
  if (infos_.size() > handful) return numbers_.find(name);
  for (std::uint32_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace weir
