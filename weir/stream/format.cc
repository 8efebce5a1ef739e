#include "weir/stream/format.h"

#include <array>

#include "weir/base/text.h"
#include "weir/stream/access_log.h"
#include "weir/stream/delimited.h"
#include "weir/stream/json_lines.h"
#include "weir/stream/plain_lines.h"
#include "weir/stream/regex_lines.h"
#include "weir/stream/syslog.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 8> kFormats = {"auto", "lines", "combined", "common",
                                                      "json", "csv",   "tsv",      "syslog"};

std::string joined(std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

/// A suggestion ends its sentence; where there is none, a full stop does.
std::string sentence_end(const std::string& hint) {
  return hint.empty() ? "." : hint;
}

}  // namespace

Result<std::size_t> find_name(std::string_view format, std::string_view name,
                              std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  std::string message = "the format " + std::string(format) + " has no field \"" + printable(name) + '"';
  message += sentence_end(did_you_mean(name, names));
  return Error{message + " It has line" + (names.empty() ? "" : ", ") + joined(names)};
}

Result<std::unique_ptr<Format>> make_format(std::string_view spec, const FormatOptions& options) {
  constexpr std::string_view kRegex = "regex:";
  if (spec.starts_with(kRegex)) return RegexLines::compile(spec.substr(kRegex.size()));
  std::unique_ptr<Format> format;
  if (spec == "lines") format = std::make_unique<PlainLines>();
  if (spec == "combined") format = std::make_unique<AccessLog>(AccessLog::Kind::kCombined);
  if (spec == "common") format = std::make_unique<AccessLog>(AccessLog::Kind::kCommon);
  if (spec == "json") format = std::make_unique<JsonLines>();
  if (spec == "csv") format = std::make_unique<Delimited>(Delimited::Kind::kCsv);
  if (spec == "tsv") format = std::make_unique<Delimited>(Delimited::Kind::kTsv);
  if (spec == "syslog") format = std::make_unique<Syslog>(options.now, options.year);
  if (format) return format;
  return Error{"unknown format \"" + printable(spec) + '"' + sentence_end(did_you_mean(spec, kFormats)) +
               " There are " + joined(kFormats) + ", regex:PATTERN"};
}

}  // namespace weir
