// Any bytes as lines that a pattern cuts.
#include "fuzz/stream_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return weir::fuzz_line_format(data, size, "regex:(?P<time>[0-9.]+)? *(?P<a>a|b*)(?P<c>[^x]+)x?",
                                {"time", "a", "c"});
}
