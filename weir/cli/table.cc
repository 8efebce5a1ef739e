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

/// How wide a text is on a terminal, wide characters not looked at.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
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
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
  };
  widen(headings);
  double longest = 0;
  for (const TableRow& row : rows) {
    widen(row.cells);
    longest = std::max(longest, row.bar.value_or(0));
  }
  std::string out;
  if (!begun_) {
    append_cells(out, headings);
    out += '\n';
  }
  begun_ = true;
  for (const TableRow& row : rows) {
    append_cells(out, row.cells);
    if (width_ && row.bar && longest > 0) append_bar(out, *row.bar / longest);
    out += '\n';
  }
  return out;
}

void Table::append_cells(std::string& out, const std::vector<std::string>& cells) const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string pad(widths_[i] - width_of(cells[i]), ' ');
    if (i > 0) out += kGap;
    if (columns_[i].right) out += pad;
    out += cells[i];
    // Nothing stands behind the last.
    if (!columns_[i].right && i + 1 < cells.size()) out += pad;
  }
}

void Table::append_bar(std::string& out, double share) const {
  std::size_t used = 0;
  for (const std::size_t width : widths_) used += width + kGap.size();
  if (used + kLeastBar > *width_) return;
  const std::size_t room = std::min(kMostBar, *width_ - used - 1);
  out += std::string(
      used - kGap.size() - std::min(used - kGap.size(), width_of(out.substr(out.rfind('\n') + 1))), ' ');
  out += kGap;
  const auto length = static_cast<std::size_t>(std::ceil(share * static_cast<double>(room)));
  for (std::size_t i = 0; i < length; ++i) out += "▆";
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
