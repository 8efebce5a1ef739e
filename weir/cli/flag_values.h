// The values of flags that several commands have. Text as it came; nothing: not given, and `out` stays as it
// is. Errors name the flag, what was found and what was meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/base/time.h"

namespace weir {

Error wrong_value(std::string_view flag, std::string_view found, std::string_view why);

Status read_size(std::string_view flag, const std::optional<std::string>& text, std::size_t& out);
Status read_count(std::string_view flag, const std::optional<std::string>& text, std::size_t least,
                  std::size_t& out);
Status read_year(const std::optional<std::string>& text, std::optional<int>& out);
Status read_duration(std::string_view flag, const std::optional<std::string>& text, Nanos& out);
/// An error unless it is `auto` or names a format.
Status read_format(const std::string& format);

/// "65536", "512K", "64M", "4G", "64MB", "64MiB": bytes, in powers of 1024. Nothing when it is no such size,
/// or 0.
std::optional<std::size_t> parse_size(std::string_view text);

}  // namespace weir
