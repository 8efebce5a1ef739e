// Memory for the values of one record that are not there in its text as they are: unescaped, joined,
// unquoted.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace weir {

/// Hands out memory that stays where it is until clear(). After the first records it allocates nothing more.
class Scratch {
 public:
  void clear() {
    if (blocks_.size() > 1) join_blocks();
    used_ = 0;
  }

  /// Room for `size` bytes.
  std::span<char> take(std::size_t size) {
    if (blocks_.empty() || blocks_.back().size - used_ < size) add_block(size);
    char* begin = blocks_.back().bytes.get() + used_;
    used_ += size;
    return {begin, size};
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size;
  };
  static constexpr std::size_t kSmallest = 4096;

  void add_block(std::size_t size) {
    const std::size_t room = size < kSmallest ? kSmallest : size;
    blocks_.push_back({std::make_unique<char[]>(room), room});
    used_ = 0;
  }

  /// One block as large as all of them, so that the next record like this one needs no more.
  void join_blocks() {
    std::size_t all = 0;
    for (const Block& block : blocks_) all += block.size;
    blocks_.clear();
    add_block(all);
  }

  std::vector<Block> blocks_;
  std::size_t used_ = 0;
};

}  // namespace weir
