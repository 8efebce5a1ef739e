#include "weir/sketch/datasketches_items.h"

namespace weir {
namespace {

constexpr std::uint8_t kVersion = 2;
constexpr std::uint32_t kMostK = 0x7FFFFFFE;

}  // namespace

void DataSketchesHead::write(ByteWriter& out) const {
  out.put<std::uint8_t>(static_cast<std::uint8_t>(growth << 6U | longs));
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(family);
  out.put<std::uint8_t>(flags);
  out.put<std::uint32_t>(k);
}

DataSketchesHead DataSketchesHead::read(ByteReader& in, std::uint8_t family, std::uint8_t known) {
  DataSketchesHead head;
  const auto first = in.get<std::uint8_t>("the size of the head");
  const auto version = in.get<std::uint8_t>("the version");
  head.longs = first & 0x3FU;
  head.growth = static_cast<std::uint8_t>(first >> 6U);
  head.family = in.get<std::uint8_t>("the family");
  head.flags = in.get<std::uint8_t>("the flags");
  head.k = in.get<std::uint32_t>("the size");
  in.require(head.family == family,
             "family " + std::to_string(head.family) + "; that of this sample is " + std::to_string(family));
  in.require(version == kVersion, "version " + std::to_string(version) + "; this program reads version 2");
  in.require((head.flags & ~known) == 0, "unknown flags " + std::to_string(head.flags));
  in.require(head.k >= 1 && head.k <= kMostK,
             "its size is " + std::to_string(head.k) + "; it must lie between 1 and 2147483646");
  return head;
}

}  // namespace weir
