// Any bytes as the body of a check: taken or refused in words, and a refusal leaves nothing behind.
#include <cstdlib>
#include <string>
#include <string_view>

#include "weir/server/http/check_reader.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using weir::server::CheckReader;
  std::string text(reinterpret_cast<const char*>(data), size);
  text.resize(size + CheckReader::kPadding);
  weir::server::RequestQueue queue;
  CheckReader reader(8, 8);
  const auto taken = reader.read(std::string_view(text).substr(0, size), queue);
  if (!taken) {
    require(!taken.error().message.empty() && queue.requests.empty() && queue.dimensions.empty());
    return 0;
  }
  require(*taken || queue.requests.size() == 1);
  for (const auto& request : queue.requests)
    require(request.first + request.count <= queue.dimensions.size());
  return 0;
}
