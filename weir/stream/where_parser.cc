#include "weir/stream/where_parser.h"

#include <algorithm>
#include <utility>

#include "weir/base/text.h"
#include "weir/stream/number.h"
#include "weir/stream/where_time.h"

namespace weir {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kOperators = "=!<>~";
constexpr std::int64_t kPatternMemory = std::int64_t{8} << 20U;

bool ends_word(char c) {
  return kBlanks.find(c) != std::string_view::npos || kOperators.find(c) != std::string_view::npos ||
         c == '(' || c == ')' || c == '\'' || c == '"';
}

bool is_operator(std::string_view text) {
  return text == "=" || text == "==" || text == "!=" || text == "<" || text == "<=" || text == ">" ||
         text == ">=" || text == "~";
}

}  // namespace

Result<Where> WhereParser::parse() {
  advance();
  if (error_.empty() && token_ == Token::end) fail("there is no condition; write one such as status>=500");
  if (error_.empty()) any();
  if (error_.empty() && token_ != Token::end)
    fail("found " + found() + " where \"and\", \"or\" or the end was meant");
  if (!error_.empty()) return Error{error_};
  return std::move(where_);
}

std::optional<std::size_t> WhereParser::any() {
  if (++depth_ > kMostDepth) return fail("conditions stand too deep in each other");
  const auto node = joined(Where::Kind::any, "or");
  --depth_;
  return node;
}

std::optional<std::size_t> WhereParser::all() {
  return joined(Where::Kind::all, "and");
}

std::optional<std::size_t> WhereParser::joined(Where::Kind kind, std::string_view word) {
  Where::Node node{.kind = kind};
  for (;;) {
    const auto below = kind == Where::Kind::any ? all() : one();
    if (!below) return std::nullopt;
    node.below.push_back(*below);
    if (!is_word(word)) break;
    advance();
  }
  return node.below.size() == 1 ? node.below.front() : add(std::move(node));
}

std::optional<std::size_t> WhereParser::one() {
  if (!error_.empty()) return std::nullopt;
  if (is_word("not")) {
    advance();
    if (++depth_ > kMostDepth) return fail("conditions stand too deep in each other");
    const auto below = one();
    --depth_;
    if (!below) return std::nullopt;
    return add({.kind = Where::Kind::negation, .below = {*below}});
  }
  if (token_ != Token::open) return comparison();
  advance();
  const auto inside = any();
  if (!inside) return std::nullopt;
  if (token_ != Token::close) return fail("found " + found() + " where \")\" was meant");
  advance();
  return inside;
}

std::optional<std::size_t> WhereParser::comparison() {
  if (token_ != Token::word && token_ != Token::quoted)
    return fail("found " + found() + " where a field was meant");
  if (value_.empty()) return fail("the name of a field is empty");
  Where::Node node{.kind = Where::Kind::equal, .field = value_, .column = column_};
  advance();
  if (!error_.empty()) return std::nullopt;
  if (token_ != Token::operation || !is_operator(value_)) {
    return fail("found " + found() + " where an operator was meant: =, !=, <, <=, >, >= or ~");
  }
  const std::string operation = value_;
  advance();
  if (!error_.empty() || !read_value(node, operation)) return std::nullopt;
  return compare(std::move(node), operation);
}

std::optional<std::size_t> WhereParser::compare(Where::Node node, std::string_view operation) {
  const auto with = [&](Where::Kind kind) {
    node.kind = kind;
    return add(node);
  };
  if (operation == "~") return with(Where::Kind::matches);
  if (operation == "<") return with(Where::Kind::below);
  if (operation == "<=") return with(Where::Kind::at_most);
  if (operation == ">") return with(Where::Kind::above);
  if (operation == ">=") return with(Where::Kind::at_least);
  const std::size_t equal = with(Where::Kind::equal);
  return operation == "!=" ? add({.kind = Where::Kind::negation, .below = {equal}}) : equal;
}

bool WhereParser::read_value(Where::Node& node, std::string_view operation) {
  const bool is_pattern = operation == "~";
  if (token_ != Token::word && token_ != Token::quoted) {
    fail("found " + found() + " where a value was meant; a text goes in quotes");
    return false;
  }
  node.value.text = value_;
  if (is_pattern) {
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    options.set_max_mem(kPatternMemory);
    node.expression = std::make_shared<const re2::RE2>(value_, options);
    if (!node.expression->ok()) {
      fail("the expression \"" + printable(value_) + "\" can't be used: " + node.expression->error());
      return false;
    }
  } else if (node.field == "time" && !read_instant(node, operation)) {
    return false;
  }
  if (token_ == Token::word && !is_pattern) {
    node.value.whole = parse_whole(value_);
    node.value.number = parse_number(value_);
  }
  advance();
  return error_.empty();
}

/// A day is compared by where it begins and not by where it ends, so that nobody has to guess.
bool WhereParser::read_instant(Where::Node& node, std::string_view operation) {
  const Result<WhereTime> time = parse_where_time(value_);
  if (!time) {
    fail(found() + ' ' + time.error().message);
    return false;
  }
  if (time->is_day && operation != ">=" && operation != "<") {
    fail(found() + " is a whole day, which goes with >= and < only; with " + std::string(operation) +
         " write an instant such as " + value_ + "T10:00:00Z");
    return false;
  }
  node.value.instant = time->instant;
  return true;
}

void WhereParser::advance() {
  at_ = std::min(text_.size(), text_.find_first_not_of(kBlanks, at_));
  column_ = at_ + 1;
  value_.clear();
  if (at_ == text_.size()) {
    token_ = Token::end;
    return;
  }
  const char c = text_[at_];
  if (c == '(' || c == ')') {
    token_ = c == '(' ? Token::open : Token::close;
    value_ = c;
    ++at_;
  } else if (c == '\'' || c == '"') {
    read_quoted(c);
  } else if (kOperators.find(c) != std::string_view::npos) {
    token_ = Token::operation;
    value_ = c;
    ++at_;
    if (c != '~' && at_ < text_.size() && text_[at_] == '=') value_ += text_[at_++];
  } else {
    token_ = Token::word;
    while (at_ < text_.size() && !ends_word(text_[at_])) value_ += text_[at_++];
  }
}

void WhereParser::read_quoted(char quote) {
  token_ = Token::quoted;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == quote) {
      ++at_;
      return;
    }
    const bool escapes =
        text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == quote || text_[at_ + 1] == '\\');
    if (escapes) ++at_;
    value_ += text_[at_];
  }
  fail("a quote is opened here and not closed");
}

std::size_t WhereParser::add(Where::Node node) {
  where_.nodes_.push_back(std::move(node));
  return where_.nodes_.size() - 1;
}

std::nullopt_t WhereParser::fail(const std::string& sentence) {
  if (error_.empty()) error_ = "--where: column " + std::to_string(column_) + ": " + sentence;
  return std::nullopt;
}

std::string WhereParser::found() const {
  return token_ == Token::end ? "the end" : '"' + printable(value_) + '"';
}

}  // namespace weir
