// Any bytes as a log of an unknown format: looking at it must not lose a record.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedLog log(data, size);
  // What is looked at depends on what is there at once, so that the format may depend on the block; but not
  // the rest.
  for (const std::size_t block : {log.block, log.bytes.size() + 1}) {
    const weir::LogOptions options{.max_line = log.max_line, .now = 0, .block = block};
    weir::Result<weir::LogStream> stream = weir::LogStream::open_memory(log.bytes, options);
    if (!stream) continue;
    const std::string format(stream->format());
    weir::Record record;
    std::uint64_t rows = 0;
    while (stream->next(record)) ++rows;
    if (!stream->status()) continue;
    weir::require(rows == weir::read_fuzzed(log, format, {}, block).rows);
  }
  return 0;
}
