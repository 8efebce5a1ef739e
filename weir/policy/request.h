// A Request: what a client asks, told by its dimensions.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace weir {

/// A name and a value, such as account = 42, ip = 192.0.2.7, endpoint = /login. Any byte is legal in a value;
/// an empty value is a missing one.
struct Dimension {
  std::string_view name;
  std::string_view value;
};

/// A view: the dimensions must outlive it. A name given twice counts as its first.
/// The largest cost that a request may state.
inline constexpr std::uint64_t kMaxCost = std::numeric_limits<std::int64_t>::max();

struct Request {
  std::span<const Dimension> dimensions;
  std::uint64_t cost = 1;
};

}  // namespace weir
