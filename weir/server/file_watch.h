// What tells whether files have changed without reading them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "weir/base/time.h"

namespace weir::server {

/// What is at a path, behind all symbolic links. A file that is put in place of another, and a link that is
/// turned, change it as well as a write does.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  Nanos modified = 0;
  Nanos changed = 0;
  bool operator==(const FileIdentity&) const = default;
};

/// All zeros where there is nothing.
FileIdentity identity_of(const std::filesystem::path& path);
std::vector<FileIdentity> identities_of(std::span<const std::filesystem::path> paths);

}  // namespace weir::server
