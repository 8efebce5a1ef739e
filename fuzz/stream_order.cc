// Any bytes as events: sorting them with next to no memory is a stable sort.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "fuzz/stream_fuzz.h"
#include "weir/stream/time_order.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Event = std::pair<weir::Nanos, std::string>;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t memory = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front()) * 16U;
  std::vector<Event> events;
  while (bytes.size() >= 2) {
    const auto time = static_cast<weir::Nanos>(static_cast<signed char>(bytes[0]));
    const std::size_t length =
        std::min<std::size_t>(static_cast<unsigned char>(bytes[1]) % 32U, bytes.size() - 2);
    events.emplace_back(time, bytes.substr(2, length));
    bytes.remove_prefix(2 + length);
  }
  weir::CompleteOrder complete(memory);
  weir::LatenessOrder lateness(255, std::size_t{1} << 20U);
  for (const auto& [time, text] : events) {
    weir::require(complete.add({time, text}).ok());
    lateness.add({time, text});
    weir::require(!lateness.next().has_value());
  }
  lateness.finish();
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.first < b.first; });
  for (const auto& [time, text] : events) {
    const auto next = complete.next();
    weir::require(next.ok() && next->has_value() && (*next)->time == time && (*next)->bytes == text);
    const auto buffered = lateness.next();
    weir::require(buffered.has_value() && buffered->time == time && buffered->bytes == text);
  }
  const auto end = complete.next();
  weir::require(end.ok() && !end->has_value());
  weir::require(!lateness.next().has_value() && lateness.late() == 0);
  return 0;
}
