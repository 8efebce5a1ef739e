// The part of YAML that policies are written in, as a tree whose every node knows where it stands.
// Anchors, aliases, tags and second documents are refused: they make a file that means more than it shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/policy/problems.h"

namespace weir {

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  /// Written in quotes or as a block: never a number, true or false.
  bool quoted = false;
  Place place;
  /// Where its name stands, if it is a field of a map.
  Place key_place;
  std::string key;
  std::string scalar;
  /// The items of a list, or the fields of a map in the order of the file; no two have one key.
  std::vector<YamlNode> children;

  /// The field of a map; null when there is none.
  const YamlNode* find(std::string_view name) const;
  /// Whether both say the same, wherever they stand. The order of fields counts.
  bool same_as(const YamlNode& other) const;
};

/// The largest file that is read, and the most nodes and the deepest nesting it may have.
inline constexpr std::size_t kMaxPolicyBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxYamlNodes = 2'000'000;
inline constexpr std::size_t kMaxYamlDepth = 32;

/// Nothing when `text` is not one document of such YAML; `problems` then says why.
std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& file, Problems& problems);

}  // namespace weir
