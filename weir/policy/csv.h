// Tables of comma-separated values (RFC 4180): fields in quotes may hold commas, line breaks and doubled
// quotes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"

namespace weir {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text);

  /// The next row that is not blank; nothing at the end, or after an error. The reference holds until the
  /// next call.
  Result<const std::vector<std::string>*> next();
  /// Where the row that was read last begins, from 1.
  std::uint32_t line() const { return row_line_; }

 private:
  std::string take_plain();
  /// Nothing when the quotes are not closed, or something follows them.
  std::optional<std::string> take_quoted();
  bool at_end_of_row() const;

  std::string_view rest_;
  std::uint32_t line_ = 1;
  std::uint32_t row_line_ = 1;
  std::vector<std::string> row_;
};

}  // namespace weir
