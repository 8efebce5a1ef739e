#include "weir/cli/flag_values.h"

#include <limits>

#include "weir/base/text.h"
#include "weir/stream/format.h"

namespace weir {
namespace {

Status read_year(const std::optional<std::string>& text, std::optional<int>& out) {
  if (!text) return Done{};
  const auto year = parse_uint(*text);
  // What 64 bits of nanoseconds around 1970 hold in full.
  if (!year || *year < 1678 || *year > 2261)
    return wrong_value("--year", *text, "not a year from 1678 to 2261");
  out = static_cast<int>(*year);
  return Done{};
}

Status check_format(const std::string& format) {
  if (format == "auto") return Done{};
  const auto made = make_format(format, {});
  if (!made) return Error{"--format: " + made.error().message};
  return Done{};
}

}  // namespace

Error wrong_value(std::string_view flag, std::string_view found, std::string_view why) {
  return Error{std::string(flag) + " \"" + printable(found) + "\": " + std::string(why)};
}

Status read_size(std::string_view flag, const std::optional<std::string>& text, std::size_t& out) {
  if (!text) return Done{};
  const auto size = parse_size(*text);
  if (!size)
    return wrong_value(flag, *text, "not a size; write bytes, or a number with K, M or G, such as 512M");
  out = *size;
  return Done{};
}

Status read_count(std::string_view flag, const std::optional<std::string>& text, std::size_t least,
                  std::size_t& out) {
  if (!text) return Done{};
  const auto number = parse_uint(*text);
  if (!number || *number < least) {
    return wrong_value(flag, *text, "not a whole number from " + std::to_string(least) + " on");
  }
  out = *number;
  return Done{};
}

Status read_duration(std::string_view flag, const std::optional<std::string>& text, Nanos& out) {
  if (!text) return Done{};
  const Result<Nanos> duration = parse_duration(*text);
  if (!duration) return Error{std::string(flag) + ": " + duration.error().message};
  out = *duration;
  return Done{};
}

void define_log_flags(CLI::App& app, LogFlags& flags) {
  const auto text = [&](const char* name, auto& target, const char* what, const char* type) {
    app.add_option(name, target, what)->type_name(type)->allow_extra_args(false);
  };
  text("--format", flags.format, "auto, lines, combined, common, json, csv, tsv, syslog or regex:PATTERN",
       "FORMAT");
  text("--year", flags.year, "The year of the first record of a syslog", "YEAR");
  text("--max-line", flags.max_line, "The longest record [16M]; longer ones are skipped and counted", "SIZE");
}

Status read_log_flags(const LogFlags& flags, LogOptions& out) {
  out.format = flags.format;
  if (Status format = check_format(flags.format); !format) return format;
  if (Status year = read_year(flags.year, out.year); !year) return year;
  return read_size("--max-line", flags.max_line, out.max_line);
}

std::optional<std::size_t> parse_size(std::string_view text) {
  unsigned shift = 0;
  for (const std::string_view suffix : {"iB", "B"}) {
    // Bytes alone need no unit.
    if (!text.ends_with(suffix) || text.size() <= suffix.size()) continue;
    if (is_digit(text[text.size() - suffix.size() - 1])) return std::nullopt;
    text.remove_suffix(suffix.size());
    break;
  }
  if (text.ends_with('K') || text.ends_with('k')) shift = 10;
  if (text.ends_with('M') || text.ends_with('m')) shift = 20;
  if (text.ends_with('G') || text.ends_with('g')) shift = 30;
  if (shift > 0) text.remove_suffix(1);
  const auto number = parse_uint(text);
  if (!number || *number == 0 || *number > std::numeric_limits<std::size_t>::max() >> shift)
    return std::nullopt;
  return std::size_t{*number} << shift;
}

}  // namespace weir
