// One request of a log, and the bytes it is while it waits in the sorter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/policy/request.h"
#include "weir/stream/time_order.h"

namespace weir {

/// A view; see EventCodec::decode for how long it lives.
struct Event {
  Nanos time = 0;
  /// In the order of the codec's names. A value that the record does not have is empty.
  std::span<const Dimension> dimensions{};
  std::uint64_t cost = 1;
  /// The record stands for this many requests, one after another at the same instant.
  std::uint64_t weight = 1;
};

/// Turns requests into bytes and back. Only what the policy asks for is kept of a record, so that a log of
/// long lines sorts in little memory.
///
///   event = varint(cost) varint(weight) { varint(length) bytes }*   -- one value per name
class EventCodec {
 public:
  explicit EventCodec(std::vector<std::string> names);

  std::span<const std::string> names() const { return names_; }

  /// Valid until the next call. REQUIRES: values.size() == names().size().
  std::string_view encode(std::span<const std::string_view> values, std::uint64_t cost, std::uint64_t weight);
  /// A view of `event` and of this codec, valid until the next call and while the bytes live.
  /// REQUIRES: the bytes came from encode() of a codec with the same names.
  Event decode(TimedBytes event);

 private:
  std::vector<std::string> names_;
  std::vector<Dimension> dimensions_;
  std::string bytes_;
};

}  // namespace weir
