// Tables for people: columns, and bars where there is a terminal to draw them on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weir {

struct TableColumn {
  std::string heading;
  bool right = true;  // for numbers
};

struct TableRow {
  std::vector<std::string> cells;
  /// How long its bar is, next to those of the other rows; nothing: it has none.
  std::optional<double> bar = std::nullopt;
};

/// How many columns of text standard output has, where it is a terminal.
std::optional<std::size_t> terminal_width();

/// Headings and rows, in columns that only grow from one call to the next.
class Table {
 public:
  /// No bars without a width.
  Table(std::vector<TableColumn> columns, std::optional<std::size_t> width)
      : columns_(std::move(columns)), width_(width), widths_(columns_.size()) {}

  /// The headings stand before the first rows.
  std::string print(const std::vector<TableRow>& rows);

 private:
  /// How long a bar may be; 0 where there is no room for any.
  std::size_t bar_room() const;
  void append_cells(std::string& out, const std::vector<std::string>& cells, bool bar_follows) const;

  std::vector<TableColumn> columns_;
  std::optional<std::size_t> width_;
  std::vector<std::size_t> widths_;
  bool begun_ = false;
};

/// For people: "1,234", "0.25", "1.2e+20".
std::string number_text(double value);
std::string number_text(std::optional<double> value);

}  // namespace weir
