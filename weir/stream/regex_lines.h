// Lines cut by a regular expression of the user's.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <vector>

#include "weir/stream/format.h"

namespace weir {

/// A line in which the pattern is found anywhere is a record; its named groups are the fields, also of bytes
/// that are not UTF-8 (every byte is one character). A group that takes no part in the match is no value. A
/// group named time, timestamp or ts is the time.
class RegexLines final : public Format {
 public:
  /// Errors: the pattern can't be compiled, needs too much memory, or names no group.
  static Result<std::unique_ptr<Format>> compile(std::string_view pattern);

  /// REQUIRES: the expression is good and names a group.
  RegexLines(std::string spec, std::unique_ptr<re2::RE2> expression);

  std::string_view name() const override { return spec_; }
  std::vector<std::string> fields() const override;
  Status want(std::string_view name, std::size_t slot) override;
  Parsed parse(std::string_view text, Parts& parts) override;

 private:
  std::string spec_;
  std::unique_ptr<re2::RE2> expression_;
  std::vector<WantedField> wanted_;  // by number of the group
  std::size_t time_group_ = 0;       // 0: none
  std::vector<re2::StringPiece> groups_;
};

}  // namespace weir
