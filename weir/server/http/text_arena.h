// Bytes that stay where they are until all are forgotten at once. Once warm it allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace weir::server {

class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (blocks_.empty() || blocks_[at_].size - used_ < text.size()) next_block(text.size());
    char* const to = blocks_[at_].bytes.get() + used_;
    std::memcpy(to, text.data(), text.size());
    used_ += text.size();
    return {to, text.size()};
  }

  void clear() {
    at_ = 0;
    used_ = 0;
    // What one large message needed is not kept for all small ones.
    if (blocks_.size() > kKeptBlocks) blocks_.resize(kKeptBlocks);
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;
  static constexpr std::size_t kKeptBlocks = 4;

  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  void next_block(std::size_t least) {
    while (at_ + 1 < blocks_.size()) {
      ++at_;
      used_ = 0;
      if (blocks_[at_].size >= least) return;
    }
    const std::size_t size = std::max(kBlockBytes, least);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    at_ = blocks_.size() - 1;
    used_ = 0;
  }

  std::vector<Block> blocks_;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
};

}  // namespace weir::server
