#include "weir/policy/csv.h"

namespace weir {

CsvReader::CsvReader(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool CsvReader::at_end_of_row() const {
  return rest_.empty() || rest_[0] == '\n' || rest_.starts_with("\r\n");
}

std::string CsvReader::take_plain() {
  std::size_t size = 0;
  while (size < rest_.size() && rest_[size] != ',' && rest_[size] != '\n') ++size;
  if (size > 0 && size < rest_.size() && rest_[size] == '\n' && rest_[size - 1] == '\r') --size;
  std::string field(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return field;
}

std::optional<std::string> CsvReader::take_quoted() {
  std::string field;
  rest_.remove_prefix(1);
  while (true) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) return std::nullopt;
    for (const char c : rest_.substr(0, quote)) line_ += c == '\n' ? 1 : 0;
    field += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    field += '"';
    rest_.remove_prefix(1);
  }
  if (!at_end_of_row() && rest_[0] != ',') return std::nullopt;
  return field;
}

Result<const std::vector<std::string>*> CsvReader::next() {
  while (!rest_.empty() && at_end_of_row()) {
    rest_.remove_prefix(rest_[0] == '\n' ? 1 : 2);
    ++line_;
  }
  if (rest_.empty()) return nullptr;
  row_.clear();
  row_line_ = line_;
  while (true) {
    if (rest_.starts_with('"')) {
      auto field = take_quoted();
      if (!field) {
        rest_ = {};
        return Error{"a quoted field is not closed, or is followed by something else than a comma"};
      }
      row_.push_back(std::move(*field));
    } else {
      row_.push_back(take_plain());
    }
    if (at_end_of_row()) return &row_;
    rest_.remove_prefix(1);
  }
}

}  // namespace weir
