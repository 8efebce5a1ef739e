// Patterns for text: "*" stands for any bytes, "{name}" in a template for part of a path's segment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"

namespace weir {

class Pattern {
 public:
  enum class Kind : std::uint8_t {
    /// Literals with a star between each two: zero or more bytes of any value.
    wildcard,
    /// Literals with a {name} between each two: one or more bytes, none of them a slash.
    path_template,
  };

  /// "/files/*". REQUIRES: it has a star.
  static Pattern wildcard(std::string_view text);
  /// "/verify/{code}". Errors say what is wrong with the braces.
  static Result<Pattern> path_template(std::string_view text);
  /// From its literals: a gap stands between each two, so that n gaps make n + 1 literals, some of them
  /// empty.
  Pattern(Kind kind, std::vector<std::string> literals) : kind_(kind), literals_(std::move(literals)) {}

  /// In time proportional to the length of `text`, however many gaps there are.
  bool matches(std::string_view text) const;

  Kind kind() const { return kind_; }
  const std::vector<std::string>& literals() const { return literals_; }
  /// Bytes of all literals: what makes one pattern more specific than another.
  std::size_t literal_bytes() const;
  /// As it could be written: "/files/*", "/verify/{}".
  std::string text() const;

 private:
  bool matches_wildcard(std::string_view text) const;
  bool matches_template(std::string_view text) const;

  Kind kind_;
  std::vector<std::string> literals_;
};

}  // namespace weir
