#include "weir/stream/time_windows.h"

#include <utility>

namespace weir {

TimeWindows::TimeWindows(WindowOptions options, std::size_t fields, Take take, Close close)
    : options_(options),
      codec_(fields),
      take_(std::move(take)),
      close_(std::move(close)),
      sorted_(options.memory),
      waiting_(options.lateness, options.memory) {}

Status TimeWindows::add(const Record& record) {
  if (!record.time) {
    untimed_ += record.weight;
    return Done{};
  }
  bytes_.clear();
  RecordCodec::append(bytes_, record);
  if (options_.sort_all) return sorted_.add({*record.time, bytes_});
  waiting_.add({*record.time, bytes_});
  while (const auto event = waiting_.next()) give_out(*event);
  return Done{};
}

Status TimeWindows::finish() {
  if (options_.sort_all) {
    for (;;) {
      const auto event = sorted_.next();
      if (!event) return event.error();
      if (!*event) break;
      give_out(**event);
    }
  } else {
    waiting_.finish();
    while (const auto event = waiting_.next()) give_out(*event);
  }
  if (open_) close_(*open_);
  open_.reset();
  return Done{};
}

void TimeWindows::give_out(const TimedBytes& event) {
  std::string_view bytes = event.bytes;
  const Record record = codec_.take(bytes);
  const Nanos window = floor_to(event.time, options_.every);
  if (open_ && window < *open_) {
    late_ += record.weight;
    return;
  }
  if (open_ && window > *open_) close_(*open_);
  open_ = window;
  take_(record);
}

}  // namespace weir
