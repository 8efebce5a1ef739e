// A map from texts to numbers that is built once and then only read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// Open addressing, at most half full, the texts in one block of bytes.
class StringMap {
 public:
  /// The number that `text` has from now on: `number` if it is new, the one that it had otherwise.
  std::uint32_t insert(std::string_view text, std::uint32_t number);
  std::optional<std::uint32_t> find(std::string_view text) const;
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t offset = 0;
    std::uint32_t length = 0;
    std::uint32_t number = 0;
    bool used = false;
  };

  std::string_view text_of(const Slot& slot) const {
    return std::string_view(bytes_).substr(slot.offset, slot.length);
  }
  /// Where `text` is, or the free slot where it would be. REQUIRES: a free slot.
  std::size_t place(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;
  std::string bytes_;
  std::size_t size_ = 0;
  // Longer texts can't be in it, and need not be hashed to know that.
  std::size_t longest_ = 0;
};

}  // namespace weir
