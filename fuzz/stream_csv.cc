// Any bytes as comma separated values: a bad row may never take the rows behind it along.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedLog log(data, size);
  if (weir::is_compressed(log.bytes)) return 0;
  const weir::FuzzedReading reading = weir::read_twice(log, "csv", {"a", "b", "time"});
  if (!reading.ok) return 0;
  // Only a good row may span lines.
  const std::uint64_t lines = weir::count_records(log.bytes, log.max_line);
  weir::require(reading.rows + reading.counts.malformed <= lines);
  if (log.bytes.find('"') == std::string_view::npos && reading.counts.too_long == 0) {
    weir::require(reading.rows + reading.counts.malformed + (lines > 0 ? 1 : 0) == lines);
  }
  return 0;
}
