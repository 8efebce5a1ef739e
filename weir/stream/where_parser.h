// Reads the text of a condition.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/stream/where.h"

namespace weir {

/// For one text, once.
class WhereParser {
 public:
  explicit WhereParser(std::string_view text) : text_(text) {}
  Result<Where> parse();

 private:
  /// So deep, conditions may stand in each other.
  static constexpr std::size_t kMostDepth = 100;

  enum class Token : std::uint8_t { word, quoted, operation, open, close, end };

  // Each gives the number of its node; nothing after an error.
  std::optional<std::size_t> any();
  std::optional<std::size_t> all();
  std::optional<std::size_t> one();
  std::optional<std::size_t> joined(Where::Kind kind, std::string_view word);
  std::optional<std::size_t> comparison();
  std::optional<std::size_t> compare(Where::Node node, std::string_view operation);
  // False after an error.
  bool read_value(Where::Node& node, std::string_view operation);
  bool read_instant(Where::Node& node, std::string_view operation);

  void advance();
  void read_quoted(char quote);
  bool is_word(std::string_view word) const { return token_ == Token::word && value_ == word; }
  std::size_t add(Where::Node node);
  std::nullopt_t fail(const std::string& sentence);
  std::string found() const;

  std::string_view text_;
  std::size_t at_ = 0;
  // The token that has been read.
  Token token_ = Token::end;
  std::string value_;
  std::size_t column_ = 1;

  std::size_t depth_ = 0;
  std::string error_;
  Where where_;
};

}  // namespace weir
