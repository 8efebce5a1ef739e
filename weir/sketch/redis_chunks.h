// How RedisBloom's BF.SCANDUMP and CF.SCANDUMP take a filter apart, and LOADCHUNK puts it together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// One reply: an iterator for the next call, and bytes.
struct DumpChunk {
  /// 1 with the header; 1 + all bytes sent so far with a part of the data; 0, and no bytes, at the end.
  std::uint64_t next = 0;
  std::string bytes;
};

/// No chunk is longer.
inline constexpr std::uint64_t kMostChunk = std::uint64_t{16} << 20U;

/// The chunk of the data, which lies in `parts` one behind another, that the iterator `at` >= 1 stands for. A
/// chunk lies in one part. `bytes_of(part)` gives a string_view of it.
template <class Parts, class BytesOf>
DumpChunk dump_chunk(const Parts& parts, std::uint64_t at, BytesOf bytes_of) {
  std::uint64_t offset = at - 1;
  for (const auto& part : parts) {
    const std::string_view bytes = bytes_of(part);
    if (offset < bytes.size()) {
      const std::string_view chunk = bytes.substr(static_cast<std::size_t>(offset), kMostChunk);
      return {.next = at + chunk.size(), .bytes = std::string(chunk)};
    }
    offset -= bytes.size();
  }
  return {};
}

/// Puts a chunk that begins at `offset` of the data back into `parts`. `bytes_of(part)` gives a std::string&
/// of it. REQUIRES: offset + chunk.size() <= the bytes of all parts.
template <class Parts, class BytesOf>
void load_chunk(Parts& parts, std::uint64_t offset, std::string_view chunk, BytesOf bytes_of) {
  for (auto& part : parts) {
    std::string& bytes = bytes_of(part);
    if (offset >= bytes.size()) {
      offset -= bytes.size();
      continue;
    }
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t copied = chunk.copy(bytes.data() + begin, bytes.size() - begin);
    chunk.remove_prefix(copied);
    offset = 0;
    if (chunk.empty()) return;
  }
}

}  // namespace weir
