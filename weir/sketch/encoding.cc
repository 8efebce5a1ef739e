#include "weir/sketch/encoding.h"

#include <array>

#include <xxhash.h>

namespace weir {
namespace {

constexpr std::string_view kMagic = "WEIR";
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kChecksumBytes = 8;

constexpr std::array<std::string_view, 18> kNames = {"",
                                                     "uniform sample",
                                                     "weighted sample",
                                                     "decayed sample",
                                                     "VarOpt sample",
                                                     "split-block Bloom filter",
                                                     "scalable Bloom filter",
                                                     "cuckoo filter",
                                                     "Count-Min sketch",
                                                     "distinct count",
                                                     "HyperLogLog",
                                                     "theta sketch",
                                                     "top-k summary",
                                                     "KLL quantiles",
                                                     "DDSketch quantiles",
                                                     "t-digest",
                                                     "moments",
                                                     "origin"};

bool is_known(std::uint8_t kind) {
  return kind > 0 && kind < kNames.size();
}

}  // namespace

std::string_view name_of(SketchKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::string write_frame(SketchKind kind, std::string_view payload) {
  ByteWriter out;
  out.put_bytes(kMagic);
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(static_cast<std::uint8_t>(kind));
  out.put<std::uint16_t>(0);
  out.put<std::uint64_t>(payload.size());
  out.put_bytes(payload);
  out.put<std::uint64_t>(XXH3_64bits(out.bytes().data(), out.bytes().size()));
  return out.take();
}

Result<Frame> take_frame(std::string_view& bytes) {
  ByteReader in(bytes, "summary");
  const std::string_view magic = in.take(kMagic.size(), "the first four bytes");
  if (!in.ok() || magic != kMagic) return Error{"not a summary of Weir's: it does not begin with \"WEIR\""};
  const auto version = in.get<std::uint8_t>("the version");
  in.require(version == kVersion, "version " + std::to_string(version) + "; this program reads version 1");
  const auto kind = in.get<std::uint8_t>("the kind");
  in.require(is_known(kind), "unknown kind " + std::to_string(kind));
  in.require(in.get<std::uint16_t>("the bytes kept for later") == 0, "bytes 6 and 7 are not zero");
  const auto length = in.get<std::uint64_t>("the length");
  const std::string_view payload = in.take(length, "the payload");
  const std::size_t end = in.position();
  const auto checksum = in.get<std::uint64_t>("the checksum");
  if (!in.ok()) return in.error();
  if (checksum != XXH3_64bits(bytes.data(), end)) {
    return Error{"summary: damaged: its checksum does not match its bytes"};
  }
  bytes.remove_prefix(end + kChecksumBytes);
  return Frame{static_cast<SketchKind>(kind), payload};
}

Result<std::string_view> read_frame(std::string_view bytes, SketchKind kind) {
  Result<Frame> frame = take_frame(bytes);
  if (frame && frame->kind == SketchKind::origin && kind != SketchKind::origin) frame = take_frame(bytes);
  if (!frame) return frame.error();
  if (frame->kind != kind) {
    return Error{"summary: a " + std::string(name_of(frame->kind)) + ", where a " +
                 std::string(name_of(kind)) + " was meant"};
  }
  if (!bytes.empty()) {
    return Error{"summary: " + std::to_string(bytes.size()) + " bytes too many after its end"};
  }
  return frame->payload;
}

}  // namespace weir
