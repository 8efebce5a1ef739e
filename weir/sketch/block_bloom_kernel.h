// The bits of one block of a split-block Bloom filter, eight words at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::bloom_kernel {

/// A block is eight 32-bit words, aligned to 32 bytes. `key` are the low 32 bits of the hash.
void add(std::uint32_t* block, std::uint32_t key);
bool contains(const std::uint32_t* block, std::uint32_t key);
/// The same for `count` blocks and keys.
void add_group(std::uint32_t* const* blocks, const std::uint32_t* keys, std::size_t count);
void find_group(const std::uint32_t* const* blocks, const std::uint32_t* keys, std::size_t count,
                bool* found);

}  // namespace weir::bloom_kernel
