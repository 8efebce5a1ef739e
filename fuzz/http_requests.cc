// Any bytes on a connection, split at any places: nothing crashes, every answer is whole, and the answers are
// the same as when all came at once.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "weir/server/http/test_door.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Leave to send a body is given only while the body is not here yet (RFC 9110, 10.1.1). No other answer can
/// hold these bytes: in JSON line ends are escaped.
std::string without_leave(std::string answers) {
  constexpr std::string_view kLeave = "HTTP/1.1 100 Continue\r\n\r\n";
  for (std::size_t at = 0; (at = answers.find(kLeave, at)) != std::string::npos;)
    answers.erase(at, kLeave.size());
  return answers;
}

weir::server::HttpOptions small_options() {
  weir::server::HttpOptions options;
  options.max_head = 512;
  options.max_body = 1024;
  options.max_batch = 4;
  options.max_dimensions = 4;
  options.max_pending = 2048;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  // The first bytes say where the others are cut.
  constexpr std::size_t kCuts = 4;
  if (size < kCuts) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kCuts, size - kCuts);
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < kCuts; ++i) cuts.push_back(data[i] * (bytes.size() + 1) / 256);
  std::sort(cuts.begin(), cuts.end());
  const auto options = small_options();
  const auto whole = weir::server::TestDoor(options).talk(bytes, {});
  const auto pieces = weir::server::TestDoor(options).talk(bytes, cuts);
  require(without_leave(whole.output) == without_leave(pieces.output));
  require(whole.closing == pieces.closing);
  require(whole.output.empty() || whole.output.starts_with("HTTP/1.1 "));
  return 0;
}
