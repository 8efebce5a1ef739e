// Any bytes as tab separated values: every line but the header is a record.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedLog log(data, size);
  if (weir::is_compressed(log.bytes)) return 0;
  const weir::FuzzedReading reading = weir::read_twice(log, "tsv", {"a", "b", "time"});
  if (!reading.ok || reading.counts.too_long > 0) return 0;
  const std::uint64_t lines = weir::count_records(log.bytes, log.max_line);
  weir::require(reading.rows + reading.counts.malformed + (lines > 0 ? 1 : 0) == lines);
  return 0;
}
