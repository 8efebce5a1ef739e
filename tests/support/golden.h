// Sketches that Apache DataSketches wrote, where they are at hand.
#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/support/source_dir.h"

namespace weir {

inline std::string golden_path(const std::string& name) {
  return test::source_dir() + "/../shared/golden/" + name;
}

/// The bytes of a golden file; nothing where there is none.
inline std::optional<std::string> golden(const std::string& name) {
  std::ifstream file(golden_path(name), std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace weir
