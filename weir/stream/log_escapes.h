// The escapes that web servers write for bytes that would break a line of their logs.
#pragma once

#include <string_view>

#include "weir/stream/scratch.h"

namespace weir {

/// `text` with \xHH (nginx, Apache), \" \\ \n \t \r \b \v \f (Apache) replaced by what they stand for. A
/// backslash before anything else stays. The result lives in `scratch`.
std::string_view unescape_log(std::string_view text, Scratch& scratch);

}  // namespace weir
