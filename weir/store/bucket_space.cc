#include "weir/store/bucket_space.h"

#include <stdexcept>

namespace weir::store {
namespace {

/// The line that holds the last of `keys`, at three quarters of all slots.
constexpr std::size_t lines_for(std::size_t keys) {
  return (keys * 4 + 8) / 9;
}
constexpr std::size_t keys_for(std::size_t lines) {
  return lines * 9 / 4;
}

}  // namespace

SpaceSizes::SpaceSizes(const MemoryStoreOptions& options) {
  if (options.max_keys == 0) throw std::invalid_argument("max_keys: 0 has room for no bucket at all");
  // A quarter at least is left to blocks and logs.
  const std::size_t most_lines = options.max_memory / 4 * 3 / sizeof(Line);
  if (most_lines == 0) {
    throw std::invalid_argument("max_memory: " + std::to_string(options.max_memory) +
                                " bytes have room for no table; the least is 88");
  }
  keys = std::min(options.max_keys, keys_for(most_lines));
  lines = std::min(lines_for(keys), most_lines);
  arena_bytes = options.max_memory - lines * sizeof(Line);
}

}  // namespace weir::store
