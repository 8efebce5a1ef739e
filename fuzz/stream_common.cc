// Any bytes as an access log in the common format.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "common", {"ip", "user", "method", "path", "status", "bytes"});
}
