// Any bytes as a system log.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "syslog",
                                {"host", "program", "pid", "message", "ip", "user", "time"});
}
