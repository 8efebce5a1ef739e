// Any bytes as plain lines.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "lines", {"line"});
}
