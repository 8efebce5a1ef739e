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

/// A quarter at least is left to blocks and logs.
constexpr std::size_t lines_in(std::size_t memory) {
  return memory / 4 * 3 / sizeof(Line);
}
/// What a process of 64 bits can have addresses for.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 46U;

constexpr std::size_t even(std::size_t lines) {
  return lines > SlotTable<>::kSmall ? lines / 2 * 2 : lines;
}

}  // namespace

SpaceSizes::SpaceSizes(const MemoryStoreOptions& options) {
  if (const auto error = find_error(options)) throw std::invalid_argument(*error);
  const std::size_t most_lines = lines_in(options.max_memory);
  keys = std::min(options.max_keys, keys_for(most_lines));
  lines = even(std::min(lines_for(keys) + 1, most_lines));
  arena_bytes = options.max_memory - lines * sizeof(Line);
}

}  // namespace weir::store

namespace weir {

std::optional<std::string> find_error(const MemoryStoreOptions& options) {
  if (options.max_keys == 0) return "max_keys: 0 has room for no bucket at all";
  if (store::lines_in(options.max_memory) == 0) {
    return "max_memory: " + std::to_string(options.max_memory) +
           " bytes have room for no table; the least is 88";
  }
  if (options.max_memory > store::kMostMemory) {
    return "max_memory: " + std::to_string(options.max_memory) + " bytes are more than the maximum of " +
           std::to_string(store::kMostMemory);
  }
  return std::nullopt;
}

}  // namespace weir
