#include "weir/policy/pattern.h"

#include <cstring>

#include "weir/base/text.h"

namespace weir {
namespace {

/// string_view::find is quadratic at worst; memmem is linear.
std::size_t find(std::string_view text, std::string_view what, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (what.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool holds_slash(std::string_view text) {
  return text.find('/') != std::string_view::npos;
}

}  // namespace

Pattern Pattern::wildcard(std::string_view text) {
  std::vector<std::string> literals;
  for (std::size_t star = text.find('*'); star != std::string_view::npos; star = text.find('*')) {
    // Two stars in a row say no more than one.
    if (star > 0 || literals.empty()) literals.emplace_back(text.substr(0, star));
    text.remove_prefix(star + 1);
  }
  literals.emplace_back(text);
  return {Kind::wildcard, std::move(literals)};
}

Result<Pattern> Pattern::path_template(std::string_view text) {
  std::vector<std::string> literals;
  while (true) {
    const std::size_t brace = text.find_first_of("{}");
    const std::string_view literal = text.substr(0, brace);
    if (literal.empty() && !literals.empty() && brace != std::string_view::npos) {
      return Error{"two {names} stand side by side; put a text between them"};
    }
    literals.emplace_back(literal);
    if (brace == std::string_view::npos) break;
    const std::size_t end = text.find_first_of("{}", brace + 1);
    if (text[brace] == '}' || end == std::string_view::npos || text[end] == '{') {
      return Error{"a brace has no partner; a template looks like \"/verify/{code}\""};
    }
    if (end == brace + 1 || holds_slash(text.substr(brace, end - brace))) {
      return Error{"a name is needed between braces, as in \"/verify/{code}\""};
    }
    text.remove_prefix(end + 1);
  }
  return Pattern(Kind::path_template, std::move(literals));
}

bool Pattern::matches(std::string_view text) const {
  return kind_ == Kind::wildcard ? matches_wildcard(text) : matches_template(text);
}

bool Pattern::matches_wildcard(std::string_view text) const {
  const std::string& first = literals_.front();
  if (literals_.size() == 1) return text == first;
  const std::string& last = literals_.back();
  if (text.size() < first.size() + last.size() || !text.starts_with(first) || !text.ends_with(last))
    return false;
  text.remove_suffix(last.size());
  std::size_t at = first.size();
  // The leftmost place for each literal leaves the most room for the rest, so nothing is ever tried twice.
  for (std::size_t i = 1; i + 1 < literals_.size(); ++i) {
    at = find(text, literals_[i], at);
    if (at == std::string_view::npos) return false;
    at += literals_[i].size();
  }
  return true;
}

bool Pattern::matches_template(std::string_view text) const {
  if (!text.starts_with(literals_.front())) return false;
  std::size_t at = literals_.front().size();
  for (std::size_t i = 1; i < literals_.size(); ++i) {
    // A gap ends in its own segment, and so must what it is looked for in.
    const std::string& literal = literals_[i];
    std::size_t limit = text.find('/', at);
    if (limit == std::string_view::npos) limit = text.size();
    const bool is_last = i + 1 == literals_.size();
    if (is_last) {
      if (text.size() < at + 1 + literal.size() || !text.ends_with(literal)) return false;
      return limit >= text.size() - literal.size();
    }
    const std::size_t found =
        find(text.substr(0, std::min(text.size(), limit + literal.size())), literal, at + 1);
    if (found == std::string_view::npos || found > limit) return false;
    at = found + literal.size();
  }
  return at == text.size();
}

std::size_t Pattern::literal_bytes() const {
  std::size_t sum = 0;
  for (const std::string& literal : literals_) sum += literal.size();
  return sum;
}

std::string Pattern::text() const {
  std::string out = literals_.front();
  for (std::size_t i = 1; i < literals_.size(); ++i) {
    out += kind_ == Kind::wildcard ? "*" : "{}";
    out += literals_[i];
  }
  return out;
}

}  // namespace weir
