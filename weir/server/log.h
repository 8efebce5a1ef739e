// The server's few lines on standard error.
#pragma once

#include <string_view>

namespace weir::server {

/// `weir: message`, in one write, so that lines of threads do not mix.
void log_line(std::string_view message);

}  // namespace weir::server
