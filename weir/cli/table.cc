#include "weir/cli/table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kLeastBar = 8;
constexpr std::size_t kMostBar = 60;
/// Whole numbers from here on are not written out for people.
constexpr double kLargest = 1e15;

void append_bar(std::string& out, double length) {
  out += kGap;
  for (auto left = static_cast<std::size_t>(std::ceil(length)); left > 0; --left) out += "▆";
}

}  // namespace

std::optional<std::size_t> terminal_width() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1) return std::nullopt;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string Table::print(const std::vector<TableRow>& rows) {
  std::vector<std::string> headings;
  for (const TableColumn& column : columns_) headings.push_back(column.heading);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], columns_of(cells[i]));
  };
  widen(headings);
  double longest = 0;
  for (const TableRow& row : rows) {
    widen(row.cells);
    longest = std::max(longest, row.bar.value_or(0));
  }
  std::string out;
  if (!begun_) {
    append_cells(out, headings, false);
    out += '\n';
  }
  begun_ = true;
  const std::size_t room = longest > 0 ? bar_room() : 0;
  for (const TableRow& row : rows) {
    const bool has_bar = row.bar && room > 0;
    append_cells(out, row.cells, has_bar);
    if (has_bar) append_bar(out, *row.bar / longest * static_cast<double>(room));
    out += '\n';
  }
  return out;
}

void Table::append_cells(std::string& out, const std::vector<std::string>& cells, bool bar_follows) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string pad(widths_[i] - columns_of(cells[i]), ' ');
    if (i > 0) out += kGap;
    if (columns_[i].right) out += pad;
    out += cells[i];
    if (!columns_[i].right && (bar_follows || i + 1 < cells.size())) out += pad;
  }
}

std::size_t Table::bar_room() const {
  std::size_t used = 0;
  for (const std::size_t width : widths_) used += width + kGap.size();
  return width_ && used + kLeastBar <= *width_ ? std::min(kMostBar, *width_ - used - 1) : 0;
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < kLargest) {
    const std::string digits = with_thousands(static_cast<std::uint64_t>(std::fabs(value)));
    return value < 0 ? "-" + digits : digits;
  }
  return fmt::format("{:.6g}", value);
}

std::string number_text(std::optional<double> value) {
  return value ? number_text(*value) : "-";
}

}  // namespace weir
