#include "weir/replay/event.h"

#include "weir/base/varint.h"

namespace weir {
EventCodec::EventCodec(std::vector<std::string> names) : names_(std::move(names)) {}

std::string_view EventCodec::encode(std::span<const std::string_view> values, std::uint64_t cost,
                                    std::uint64_t weight) {
  bytes_.clear();
  append_varint(bytes_, cost);
  append_varint(bytes_, weight);
  for (const std::string_view value : values) {
    append_varint(bytes_, value.size());
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
