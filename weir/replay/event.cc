#include "weir/replay/event.h"

namespace weir {
namespace {

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

EventCodec::EventCodec(std::vector<std::string> names) : names_(std::move(names)) {}

std::string_view EventCodec::encode(std::span<const std::string_view> values, std::uint64_t cost,
                                    std::uint64_t weight) {
  bytes_.clear();
  put_varint(bytes_, cost);
  put_varint(bytes_, weight);
  for (const std::string_view value : values) {
    put_varint(bytes_, value.size());
    bytes_ += value;
  }
  return bytes_;
}

Event EventCodec::decode(TimedBytes event) {
  std::string_view rest = event.bytes;
  Event out{.time = event.time};
  out.cost = take_varint(rest);
  out.weight = take_varint(rest);
  dimensions_.clear();
  for (const std::string& name : names_) {
    const std::size_t length = take_varint(rest);
    dimensions_.push_back({name, rest.substr(0, length)});
    rest.remove_prefix(length);
  }
  out.dimensions = dimensions_;
  return out;
}

}  // namespace weir
