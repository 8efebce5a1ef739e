// The dimensions that a policy speaks of, numbered, each with what is done to its values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/policy/normalizer.h"
#include "weir/policy/string_map.h"

namespace weir {

struct DimensionInfo {
  std::string name;
  Normalizer normalizer;
  /// Looked up in a table; a request can't give it.
  bool derived = false;
};

class Dimensions {
 public:
  /// The number of `name`, from now on if it has none yet.
  std::uint32_t intern(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;

  std::size_t size() const { return infos_.size(); }
  const DimensionInfo& operator[](std::uint32_t number) const { return infos_[number]; }
  DimensionInfo& operator[](std::uint32_t number) { return infos_[number]; }

 private:
  StringMap numbers_;
  std::vector<DimensionInfo> infos_;
};

}  // namespace weir
