#include "weir/policy/string_map.h"

#include <algorithm>
#include <functional>

namespace weir {
namespace {

// Unseeded, which is safe here: who sends requests can't add to the map.
std::uint64_t hash_of(std::string_view text) {
  return std::hash<std::string_view>{}(text);
}

}  // namespace

std::size_t StringMap::place(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].used && (slots_[at].hash != hash || text_of(slots_[at]) != text)) at = (at + 1) & mask;
  return at;
}

void StringMap::grow() {
  std::vector<Slot> old(std::max<std::size_t>(8, slots_.size() * 2));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.used) slots_[place(text_of(slot), slot.hash)] = slot;
  }
}

std::uint32_t StringMap::insert(std::string_view text, std::uint32_t number) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  const std::uint64_t hash = hash_of(text);
  Slot& slot = slots_[place(text, hash)];
  if (!slot.used) {
    slot = {hash, bytes_.size(), static_cast<std::uint32_t>(text.size()), number, true};
    bytes_ += text;
    longest_ = std::max(longest_, text.size());
    ++size_;
  }
  return slot.number;
}

std::optional<std::uint32_t> StringMap::find(std::string_view text) const {
  if (size_ == 0 || text.size() > longest_) return std::nullopt;
  const Slot& slot = slots_[place(text, hash_of(text))];
  return slot.used ? std::optional(slot.number) : std::nullopt;
}

}  // namespace weir
