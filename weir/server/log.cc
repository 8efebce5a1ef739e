#include "weir/server/log.h"

#include <unistd.h>

#include <string>

namespace weir::server {

void log_line(std::string_view message) {
  const std::string line = "weir: " + std::string(message) + '\n';
  // Where nobody reads, there is nobody to tell.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace weir::server
