// Tables: comma separated values as RFC 4180 has them, and tab separated ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "weir/stream/event_time.h"
#include "weir/stream/format.h"
#include "weir/stream/scratch.h"

namespace weir {

/// The first record of each file names the columns (blanks around a name do not count), and every other one
/// has as many cells. In csv a cell in quotes may hold commas, line ends and doubled quotes; a quote inside a
/// cell that does not begin with one is an ordinary byte. In tsv there are no quotes; \t, \n, \r and \\ stand
/// for what would cut the line.
class Delimited final : public Format {
 public:
  enum class Kind { kCsv, kTsv };

  explicit Delimited(Kind kind) : kind_(kind) {}

  std::string_view name() const override { return kind_ == Kind::kCsv ? "csv" : "tsv"; }
  std::vector<std::string> fields() const override { return header_; }
  /// An error when the table has no such column. REQUIRES: the header has been parsed.
  Status want(std::string_view name, std::size_t slot) override;
  void begin_file(std::optional<Nanos> modified) override;
  bool has_header() const override { return true; }
  bool awaits_header() const override { return in_header_; }
  Parsed parse(std::string_view text, Parts& parts) override;
  Parsed resume(std::string_view text, Parts& parts) override;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMaxColumns = 4096;

  struct Cell {
    std::size_t begin;
    std::size_t end;
    bool escaped;  // its bytes are not its value yet
  };
  struct Column {
    std::string name;
    std::size_t slot;
    std::size_t index;  // in this file, or kNone
  };
  enum class Split { kWhole, kUnfinished, kMalformed };

  Split split_tsv(std::string_view text);
  Split split_csv(std::string_view text);
  bool take_quoted_cell(std::string_view text, Split& outcome);
  Parsed finish(std::string_view text, Split outcome, Parts& parts);
  Parsed read_header(std::string_view text, Parts& parts);
  std::string_view value(std::string_view text, const Cell& cell);
  std::size_t index_of(std::string_view name) const;

  Kind kind_;
  bool in_header_ = true;
  std::vector<std::string> header_;
  std::vector<Column> wanted_;
  std::size_t time_column_ = kNone;

  // How far the record has been cut.
  std::vector<Cell> cells_;
  std::size_t position_ = 0;
  bool in_quotes_ = false;
  bool doubled_ = false;
  std::size_t cell_begin_ = 0;

  Scratch scratch_;
};

}  // namespace weir
