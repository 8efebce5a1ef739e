#include "weir/server/file_watch.h"

#include <sys/stat.h>

namespace weir::server {

FileIdentity identity_of(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = static_cast<std::uint64_t>(found.st_size),
          .modified = found.st_mtim.tv_sec * kSecond + found.st_mtim.tv_nsec,
          .changed = found.st_ctim.tv_sec * kSecond + found.st_ctim.tv_nsec};
}

std::vector<FileIdentity> identities_of(std::span<const std::filesystem::path> paths) {
  std::vector<FileIdentity> identities;
  identities.reserve(paths.size());
  for (const auto& path : paths) identities.push_back(identity_of(path));
  return identities;
}

}  // namespace weir::server
