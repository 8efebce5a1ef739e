#include "weir/stream/delimited.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "weir/base/text.h"

namespace weir {
namespace {

/// How many columns an error message names.
constexpr std::size_t kListedColumns = 30;

char unescape_tsv(char letter) {
  switch (letter) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    default:
      return letter;
  }
}

}  // namespace

Status Delimited::want(std::string_view name, std::size_t slot) {
  const std::size_t index = index_of(name);
  if (index == kNone) {
    const std::vector<std::string_view> names(header_.begin(), header_.end());
    const std::string hint = did_you_mean(name, names);
    std::string message = "there is no column \"" + printable(name) + '"' + (hint.empty() ? "." : hint);
    message += " The columns are ";
    for (std::size_t i = 0; i < std::min(names.size(), kListedColumns); ++i) {
      message += (i > 0 ? ", " : "") + printable(names[i]);
    }
    return Error{message + (names.size() > kListedColumns ? ", …" : "")};
  }
  wanted_.push_back({std::string(name), slot, index});
  return Done{};
}

void Delimited::begin_file(std::optional<Nanos> /*modified*/) {
  in_header_ = true;
}

Parsed Delimited::parse(std::string_view text, Parts& parts) {
  scratch_.clear();
  cells_.clear();
  position_ = 0;
  in_quotes_ = false;
  return resume(text, parts);
}

Parsed Delimited::resume(std::string_view text, Parts& parts) {
  return finish(text, kind_ == Kind::kCsv ? split_csv(text) : split_tsv(text), parts);
}

Delimited::Split Delimited::split_tsv(std::string_view text) {
  while (cells_.size() <= kMaxColumns) {
    const std::size_t end = std::min(text.find('\t', position_), text.size());
    const std::string_view cell = text.substr(position_, end - position_);
    cells_.push_back({position_, end, cell.find('\\') != std::string_view::npos});
    if (end == text.size()) return Split::kWhole;
    position_ = end + 1;
  }
  return Split::kMalformed;
}

Delimited::Split Delimited::split_csv(std::string_view text) {
  const std::size_t most = in_header_ ? kMaxColumns : header_.size();
  while (cells_.size() <= most) {
    if (in_quotes_ || (position_ < text.size() && text[position_] == '"')) {
      Split outcome = Split::kWhole;
      if (!take_quoted_cell(text, outcome)) return outcome;
    } else {
      const std::size_t end = std::min(text.find(',', position_), text.size());
      cells_.push_back({position_, end, false});
      position_ = end;
    }
    if (position_ == text.size()) return Split::kWhole;
    ++position_;
  }
  return Split::kMalformed;
}

/// Takes a cell in quotes and stops at what ends it. False when it goes on after the text or does not end as
/// it should.
bool Delimited::take_quoted_cell(std::string_view text, Split& outcome) {
  if (!in_quotes_) {
    in_quotes_ = true;
    doubled_ = false;
    cell_begin_ = ++position_;
  }
  for (;;) {
    const std::size_t quote = text.find('"', position_);
    if (quote == std::string_view::npos) {
      position_ = text.size();
      outcome = Split::kUnfinished;
      return false;
    }
    position_ = quote + 1;
    if (position_ == text.size() || text[position_] != '"') break;
    doubled_ = true;
    ++position_;
  }
  in_quotes_ = false;
  cells_.push_back({cell_begin_, position_ - 1, doubled_});
  outcome = Split::kMalformed;
  return position_ == text.size() || text[position_] == ',';
}

Parsed Delimited::finish(std::string_view text, Split outcome, Parts& parts) {
  if (outcome == Split::kUnfinished) return Parsed::kUnfinished;
  if (in_header_) {
    if (outcome == Split::kWhole && cells_.size() <= kMaxColumns) return read_header(text, parts);
    parts.header_problem =
        "the header line can't be read: it has a quote out of place or more than 4,096 columns";
    return Parsed::kBadHeader;
  }
  if (outcome == Split::kMalformed || cells_.size() != header_.size()) return Parsed::kMalformed;
  for (const Column& column : wanted_) {
    if (column.index != kNone) parts.fields[column.slot] = value(text, cells_[column.index]);
  }
  if (time_column_ == kNone) return Parsed::kRecord;
  const std::string_view time = trim(value(text, cells_[time_column_]));
  if (time.empty()) return Parsed::kRecord;
  parts.time = parse_event_time(time);
  return parts.time ? Parsed::kRecord : Parsed::kMalformed;
}

Parsed Delimited::read_header(std::string_view text, Parts& parts) {
  in_header_ = false;
  header_.clear();
  std::set<std::string_view> seen;
  for (const Cell& cell : cells_) header_.emplace_back(trim(value(text, cell)));
  for (const std::string& column : header_) {
    if (column.empty() || seen.insert(column).second) continue;
    parts.header_problem = "two columns are named \"" + printable(column) + '"';
    return Parsed::kBadHeader;
  }
  for (Column& column : wanted_) column.index = index_of(column.name);
  time_column_ = kNone;
  for (const std::string_view name : kTimeFields) {
    if (time_column_ == kNone) time_column_ = index_of(name);
  }
  return Parsed::kHeader;
}

std::string_view Delimited::value(std::string_view text, const Cell& cell) {
  std::string_view bytes = text.substr(cell.begin, cell.end - cell.begin);
  if (!cell.escaped) return bytes;
  const char escape = kind_ == Kind::kCsv ? '"' : '\\';
  const std::span<char> room = scratch_.take(bytes.size());
  std::size_t used = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool escapes =
        bytes[i] == escape && i + 1 < bytes.size() &&
        (kind_ == Kind::kCsv || std::string_view("tnr\\").find(bytes[i + 1]) != std::string_view::npos);
    if (escapes) ++i;
    room[used++] = escapes ? (kind_ == Kind::kCsv ? bytes[i] : unescape_tsv(bytes[i])) : bytes[i];
  }
  return {room.data(), used};
}

std::size_t Delimited::index_of(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  return found == header_.end() ? kNone : static_cast<std::size_t>(found - header_.begin());
}

}  // namespace weir
