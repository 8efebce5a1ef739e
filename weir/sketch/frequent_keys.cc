#include "weir/sketch/frequent_keys.h"

namespace weir {

TextKeys::Key TextKeys::shorten(Key key, std::string& room) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t hash = hash_(key);
  room.assign(key.substr(0, kPrefix));
  room += '#';
  for (unsigned shift = 64; shift > 0; shift -= 4) room += kDigits[hash >> (shift - 4) & 15U];
  return room;
}

/// Leaves out the texts of which no cell speaks any longer.
void TextKeys::sweep() {
  std::string kept;
  kept.reserve(arena_.size());
  table_.change_each([&](Cell& cell) {
    const std::string_view alive = text(cell);
    cell.offset = static_cast<std::uint32_t>(kept.size());
    kept += alive;
  });
  arena_.swap(kept);
}

}  // namespace weir
