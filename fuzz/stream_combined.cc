// Any bytes as a combined access log.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "combined",
                                {"line", "ip", "ident", "user", "time", "request", "method", "path",
                                 "protocol", "status", "bytes", "referer", "user_agent"});
}
