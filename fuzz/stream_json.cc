// Any bytes as JSON lines.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "json", {"a", "a.b", "a.b.c", "b", "req.headers.host", "", "."});
}
