#include "weir/stream/detect.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "weir/stream/access_log.h"
#include "weir/stream/delimited.h"
#include "weir/stream/json_lines.h"
#include "weir/stream/syslog.h"

namespace weir {
namespace {

std::size_t count_parsed(Format& format, std::span<const std::string_view> lines) {
  return static_cast<std::size_t>(std::count_if(lines.begin(), lines.end(), [&format](std::string_view line) {
    Parts parts;
    return format.parse(line, parts) == Parsed::kRecord;
  }));
}

/// A column is named by a word or a few, never by a number; prose puts a space behind its commas.
bool is_column_name(std::string_view cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  if (cell.empty() || cell.size() > 64) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_name_byte = [&is_letter](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("_-. @()/%#:").find(c) != std::string_view::npos;
  };
  const char first = cell.front();
  const bool starts_well =
      is_letter(first) || first == '_' || first == '@' || static_cast<unsigned char>(first) >= 0x80;
  return starts_well && std::all_of(cell.begin(), cell.end(), [&is_name_byte](char c) {
           return is_name_byte(c) || static_cast<unsigned char>(c) >= 0x80;
         });
}

bool has_column_names(std::string_view header, char separator) {
  if (header.find(separator) == std::string_view::npos) return false;
  while (true) {
    const std::size_t end = header.find(separator);
    if (!is_column_name(header.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    header.remove_prefix(end + 1);
  }
}

/// Whether the first line names columns and most of the others have as many cells.
bool is_table(Delimited::Kind kind, std::span<const std::string_view> lines) {
  if (!has_column_names(lines.front(), kind == Delimited::Kind::kCsv ? ',' : '\t')) return false;
  Delimited table(kind);
  Parts parts;
  if (table.parse(lines.front(), parts) != Parsed::kHeader) return false;
  // A row whose quotes go on in the next line is a row; what goes on there is not counted against the table.
  std::size_t rows = 0;
  std::size_t others = 0;
  for (const std::string_view line : lines.subspan(1)) {
    const Parsed parsed = table.parse(line, parts);
    if (parsed == Parsed::kRecord || parsed == Parsed::kUnfinished) {
      ++rows;
    } else {
      ++others;
    }
  }
  return rows >= others;
}

}  // namespace

std::string choose_format(std::span<const std::string_view> lines) {
  if (lines.empty()) return "lines";
  std::vector<std::unique_ptr<Format>> candidates;
  candidates.push_back(std::make_unique<JsonLines>());
  candidates.push_back(std::make_unique<AccessLog>(AccessLog::Kind::kCombined));
  candidates.push_back(std::make_unique<AccessLog>(AccessLog::Kind::kCommon));
  candidates.push_back(std::make_unique<Syslog>(0, std::nullopt));
  std::size_t most = 0;
  std::string_view best;
  for (const auto& candidate : candidates) {
    // What is a combined log is a common one too: the first of equals is the one that says more.
    const std::size_t parsed = count_parsed(*candidate, lines);
    if (parsed > most) {
      most = parsed;
      best = candidate->name();
    }
  }
  if (most * 2 > lines.size()) return std::string(best);
  if (is_table(Delimited::Kind::kTsv, lines)) return "tsv";
  if (is_table(Delimited::Kind::kCsv, lines)) return "csv";
  return "lines";
}

}  // namespace weir
