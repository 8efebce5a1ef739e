// The images of DataSketches' compact theta sketch, family 3.
//
//   0 preamble longs   1 version   2 family 3   5 flags (2 read-only, 4 empty, 8 compact, 16 in order)
//   6 16 bits of the seed's hash u16
//   version 3: 3 and 4 zero. 1 long: nothing more, or one hash. 2: 8 hashes u32, 12 zero f32. 3: theta u64
//   too. version 4: 3 bits of a packed difference, 4 bytes of the number of hashes. 2 longs: theta u64. Then
//   that number, and the differences between neighbours, the highest bit first.
#include <algorithm>
#include <bit>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/theta_set.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "theta sketch of DataSketches";
constexpr std::uint8_t kFamily = 3;
constexpr unsigned kReadOnlyFlag = 2;
constexpr unsigned kEmptyFlag = 4;
constexpr unsigned kCompactFlag = 8;
constexpr unsigned kOrderedFlag = 16;

std::uint16_t hash_of(Seed seed) {
  return static_cast<std::uint16_t>(murmur3_x64_128(static_cast<std::uint64_t>(seed), 0).low & 0xFFFFU);
}

/// Appends the lowest bits of numbers, each with its highest bit first.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned left = bits; left > 0; --left) {
      byte_ = byte_ << 1U | static_cast<unsigned>(value >> (left - 1) & 1U);
      if (++filled_ == 8) flush();
    }
  }
  void finish() {
    if (filled_ == 0) return;
    byte_ <<= 8 - filled_;
    flush();
  }

 private:
  void flush() {
    out_ += static_cast<char>(byte_);
    byte_ = 0;
    filled_ = 0;
  }
  std::string& out_;
  unsigned byte_ = 0;
  unsigned filled_ = 0;
};

/// REQUIRES: the bits are there.
std::uint64_t bits_at(std::string_view bytes, std::uint64_t at, unsigned bits) {
  std::uint64_t value = 0;
  for (std::uint64_t i = at; i < at + bits; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(i / 8)]);
    value = value << 1U | (byte >> (7 - i % 8) & 1U);
  }
  return value;
}

void put_head(ByteWriter& out, unsigned longs, unsigned version, unsigned third, unsigned fourth,
              unsigned flags, Seed seed) {
  for (const unsigned byte : {longs, version, unsigned{kFamily}, third, fourth, flags}) {
    out.put<std::uint8_t>(static_cast<std::uint8_t>(byte));
  }
  out.put<std::uint16_t>(hash_of(seed));
}

}  // namespace

std::string ThetaSet::to_datasketches() const {
  const unsigned flags = kReadOnlyFlag | kCompactFlag | kOrderedFlag | (empty() ? kEmptyFlag : 0U);
  const bool short_form = is_exact() && hashes_.size() <= 1;
  ByteWriter out;
  put_head(out, short_form ? 1 : is_exact() ? 2 : 3, 3, 0, 0, flags, seed_);
  if (!short_form) {
    out.put<std::uint32_t>(static_cast<std::uint32_t>(hashes_.size()));
    out.put<float>(0);
  }
  if (!is_exact()) out.put<std::uint64_t>(theta_);
  out.put_array<std::uint64_t>(hashes_);
  return out.take();
}

std::string ThetaSet::to_datasketches_packed() const {
  if (hashes_.empty() || (hashes_.size() == 1 && is_exact())) return to_datasketches();
  std::uint64_t all = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t hash : hashes_) {
    all |= hash - before;
    before = hash;
  }
  const auto bits = static_cast<unsigned>(std::bit_width(all));
  const auto count_bytes = (static_cast<unsigned>(std::bit_width(hashes_.size())) + 7) / 8;
  ByteWriter out;
  put_head(out, is_exact() ? 1 : 2, 4, bits, count_bytes, kReadOnlyFlag | kCompactFlag | kOrderedFlag, seed_);
  if (!is_exact()) out.put<std::uint64_t>(theta_);
  for (unsigned i = 0; i < count_bytes; ++i) {
    out.put<std::uint8_t>(static_cast<std::uint8_t>(hashes_.size() >> 8 * i & 0xFFU));
  }
  std::string bytes = out.take();
  BitWriter packed(bytes);
  before = 0;
  for (const std::uint64_t hash : hashes_) {
    packed.put(hash - before, bits);
    before = hash;
  }
  packed.finish();
  return bytes;
}

/// Reads either version, of bytes that are anything at all.
class ThetaReader {
 public:
  ThetaReader(std::string_view bytes, Seed seed) : in_(bytes, kWhat), set_(seed) {}

  Result<ThetaSet> read() {
    longs_ = in_.get<std::uint8_t>("the preamble") & 0x3FU;
    const auto version = in_.get<std::uint8_t>("the version");
    in_.require(in_.get<std::uint8_t>("the family") == kFamily, "the family is not 3 (compact theta)");
    const auto third = in_.get<std::uint8_t>("byte 3");
    const auto fourth = in_.get<std::uint8_t>("byte 4");
    flags_ = in_.get<std::uint8_t>("the flags");
    const auto seed_hash = in_.get<std::uint16_t>("the seed's hash");
    in_.require(version == 3 || version == 4, "the serial version is neither 3 nor 4");
    const bool empty = (flags_ & kEmptyFlag) != 0;
    // Some writers leave the hash out of an empty one.
    in_.require(empty || seed_hash == hash_of(set_.seed_), "it was hashed under another seed");
    in_.require(longs_ >= 1 && longs_ <= (version == 3 ? 3U : 2U),
                "a preamble of " + std::to_string(longs_) + " longs");
    in_.require((flags_ & kCompactFlag) != 0 || empty, "it is not compact");
    if (in_.ok() && !empty) version == 3 ? read_plain() : read_packed(third, fourth);
    check();
    if (const Status end = in_.finish(); !end) return end.error();
    return std::move(set_);
  }

 private:
  void read_plain() {
    std::uint64_t count = 1;
    if (longs_ > 1) {
      count = in_.get<std::uint32_t>("the number of hashes");
      in_.get<float>("the sampling");
    }
    if (longs_ > 2) set_.theta_ = in_.get<std::uint64_t>("theta");
    set_.hashes_ = in_.get_array<std::uint64_t>(count, "the hashes");
    if ((flags_ & kOrderedFlag) == 0) std::sort(set_.hashes_.begin(), set_.hashes_.end());
  }

  void read_packed(unsigned bits, unsigned count_bytes) {
    in_.require(bits >= 1 && bits <= 63, "hashes of " + std::to_string(bits) + " bits");
    in_.require(count_bytes >= 1 && count_bytes <= 4,
                "a number of " + std::to_string(count_bytes) + " bytes");
    if (longs_ > 1) set_.theta_ = in_.get<std::uint64_t>("theta");
    std::uint64_t count = 0;
    for (unsigned i = 0; i < count_bytes && in_.ok(); ++i) {
      count |= std::uint64_t{in_.get<std::uint8_t>("the number of hashes")} << 8 * i;
    }
    const std::string_view packed = in_.take((count * bits + 7) / 8, "the hashes");
    if (!in_.ok()) return;
    std::uint64_t hash = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      hash += bits_at(packed, i * bits, bits);
      set_.hashes_.push_back(hash);
      if (!in_.require(hash < ThetaSet::kMaxTheta, "its hashes are too large")) return;
    }
  }

  void check() {
    in_.require(set_.theta_ > 0 && set_.theta_ <= ThetaSet::kMaxTheta, "theta is not from 1 to 2^63 - 1");
    std::uint64_t before = 0;
    for (const std::uint64_t hash : set_.hashes_) {
      if (!in_.require(hash > before && hash < set_.theta_, "its hashes are not in order below theta"))
        return;
      before = hash;
    }
  }

  ByteReader in_;
  ThetaSet set_;
  unsigned longs_ = 0;
  unsigned flags_ = 0;
};

Result<ThetaSet> ThetaSet::from_datasketches(std::string_view bytes, Seed seed) {
  return ThetaReader(bytes, seed).read();
}

// Payload: seed u64, then the packed image as above.

std::string ThetaSet::encode() const {
  ByteWriter out;
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put_bytes(to_datasketches_packed());
  return write_frame(SketchKind::theta, out.bytes());
}

Result<ThetaSet> ThetaSet::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::theta);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::theta));
  const auto seed = in.get<std::uint64_t>("the seed");
  if (!in.ok()) return in.error();
  return from_datasketches(in.take(in.left(), "the image"), Seed{seed});
}

}  // namespace weir
