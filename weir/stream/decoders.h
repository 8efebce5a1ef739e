// gzip and zstd behind one face.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// What one step of decompression gave.
struct Decoded {
  std::size_t count = 0;
  /// Why nothing can follow; empty when all is well.
  std::string problem;
};

class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Takes what it can from the front of `input`, and fills the front of `into`. `input` may be empty: then
  /// it gives what it still holds.
  virtual Decoded decode(std::span<const char>& input, std::span<char> into) = 0;
  /// Whether the data may end here: a member or frame is complete and all of it has been given.
  virtual bool may_end() const = 0;
};

enum class Compression { kNone, kGzip, kZstd, kUndecided };

/// What data that begins with `head` is; undecided while more bytes are needed.
Compression recognise(std::string_view head);

/// REQUIRES: kGzip or kZstd.
std::unique_ptr<Decoder> make_decoder(Compression compression);

}  // namespace weir
