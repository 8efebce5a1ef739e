// Any bytes as compressed data: damage must end in an error that stays, and never in a loop.
#include <memory>
#include <vector>

#include "fuzz/stream_fuzz.h"
#include "weir/stream/decompress.h"

namespace {

constexpr std::size_t kEnough = std::size_t{4} << 20U;

struct Unpacked {
  std::string bytes;
  bool ok = true;
  bool complete = false;
};

/// At most `kEnough` bytes, drawn in pieces and given in pieces.
Unpacked unpack(std::string_view packed, std::size_t piece, std::size_t room) {
  const auto source = weir::decompressed("input", std::make_unique<weir::MemorySource>(packed, piece));
  std::vector<char> buffer(room);
  Unpacked all;
  while (all.bytes.size() < kEnough) {
    const auto outcome = source->read(buffer);
    all.ok = outcome.ok();
    all.complete = !outcome || outcome->count == 0;
    if (all.complete) {
      weir::require(source->read(buffer).ok() == all.ok);
      return all;
    }
    weir::require(outcome->count <= room);
    all.bytes.append(buffer.data(), outcome->count);
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedLog log(data, size);
  const Unpacked small = unpack(log.bytes, log.block, 1'000);
  const Unpacked large = unpack(log.bytes, log.bytes.size() + 1, 65'536);
  if (small.complete && large.complete && small.ok && large.ok) weir::require(small.bytes == large.bytes);
  if (small.complete && large.complete) weir::require(small.ok == large.ok);
  if (!weir::is_compressed(log.bytes))
    weir::require(small.ok && small.bytes == log.bytes.substr(0, small.bytes.size()));
  return 0;
}
