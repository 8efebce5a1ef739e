// Small things about text that several layers need: numbers, suggestions, and bytes shown safely.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A whole decimal number and nothing else: no sign, space, exponent, underscore or leading "+".
std::optional<std::uint64_t> parse_uint(std::string_view text);

/// The candidate closest to `word` by edit distance (transpositions count once), if it is close enough that a
/// person might have meant it: at most a third of the word's length, and at least one edit.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

/// `; did you mean "per"?` or nothing at all, to be put at the end of an error message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// Appends `bytes` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the
/// output is always valid JSON in valid UTF-8; distinct values may then look alike.
void append_json_string(std::string& out, std::string_view bytes);

/// `bytes` for a person's terminal: control characters and bytes that are not UTF-8 as \xNN, cut after
/// `max_bytes` with "…".
std::string printable(std::string_view bytes, std::size_t max_bytes = 80);

/// The length in bytes of the UTF-8 sequence at the front of `bytes`; 0 when what is there is not UTF-8
/// (overlong forms, surrogates and values above U+10FFFF included). REQUIRES: not empty.
std::size_t utf8_length(std::string_view bytes);

constexpr std::string_view trim(std::string_view text, std::string_view blanks = " \t\r\n") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The parts between the separators; one more than there are of them, and empty ones too.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// How many columns of a terminal the text takes: a byte that continues a UTF-8 character takes none, and
/// wide characters are not looked at.
inline std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Takes the next word, up to a space or the end, and the one space behind it from the front of `text`.
constexpr std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
  return word;
}

/// 1234567 -> "1,234,567".
std::string with_thousands(std::uint64_t value);

}  // namespace weir
