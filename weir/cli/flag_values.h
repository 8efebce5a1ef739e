// The values of flags that several commands have. Text as it came; nothing: not given, and `out` stays as it
// is. Errors name the flag, what was found and what was meant.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/stream/log_stream.h"

namespace weir {

Error wrong_value(std::string_view flag, std::string_view found, std::string_view why);

Status read_size(std::string_view flag, const std::optional<std::string>& text, std::size_t& out);
Status read_count(std::string_view flag, const std::optional<std::string>& text, std::size_t least,
                  std::size_t& out);
Status read_duration(std::string_view flag, const std::optional<std::string>& text, Nanos& out);

/// How a log is read.
struct LogFlags {
  std::string format = "auto";
  std::optional<std::string> year;
  std::optional<std::string> max_line;
};
void define_log_flags(CLI::App& app, LogFlags& flags);
Status read_log_flags(const LogFlags& flags, LogOptions& out);

/// "65536", "512K", "64M", "4G", "64MB", "64MiB": bytes, in powers of 1024. Nothing when it is no such size,
/// or 0.
std::optional<std::size_t> parse_size(std::string_view text);

}  // namespace weir
