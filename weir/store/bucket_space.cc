#include "weir/store/bucket_space.h"

#include <stdexcept>

namespace weir::store {
namespace {

/// Keys by line of three slots: a little over two thirds. With fewer, keys would sit more often in their home
/// line, where one look finds them; a key takes 31.2 bytes of the table this way.
constexpr std::size_t keys_for(std::size_t lines) {
  return lines * 41 / 20;
}
/// The line that holds the last of `keys`.
constexpr std::size_t lines_for(std::size_t keys) {
  return (keys * 20 + 40) / 41;
}

constexpr std::size_t even(std::size_t lines) {
  return lines > SlotTable<>::kSmall ? lines / 2 * 2 : lines;
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
  lines = even(std::min(lines_for(keys) + 1, most_lines));
  arena_bytes = options.max_memory - lines * sizeof(Line);
}

}  // namespace weir::store
