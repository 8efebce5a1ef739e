#include "weir/stream/json_text.h"

#include <cstdint>
#include <cstring>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::uint32_t kReplacementCode = 0xFFFD;

std::string_view skip_digits(std::string_view text) {
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') text.remove_prefix(1);
  return text;
}

/// Four hexadecimal digits at the front of `text`.
std::optional<std::uint32_t> read_hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    std::uint32_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
      digit = (static_cast<std::uint32_t>(c) | 0x20U) - 'a' + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

std::size_t write_utf8(std::uint32_t code, char* out) {
  const auto tail = [code](unsigned shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    out[0] = static_cast<char>(0xC0U | (code >> 6U));
    out[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    out[0] = static_cast<char>(0xE0U | (code >> 12U));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0U | (code >> 18U));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

bool is_high_surrogate(std::uint32_t code) {
  return code >= 0xD800 && code <= 0xDBFF;
}

bool is_low_surrogate(std::uint32_t code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}

/// Takes `\uXXXX`, or two of them that make one character.
std::optional<std::uint32_t> take_unicode(std::string_view& rest) {
  const auto first = read_hex4(rest.substr(2));
  if (!first) return std::nullopt;
  rest.remove_prefix(6);
  if (is_low_surrogate(*first)) return kReplacementCode;
  if (!is_high_surrogate(*first)) return first;
  if (!rest.starts_with("\\u")) return kReplacementCode;
  const auto second = read_hex4(rest.substr(2));
  if (!second) return std::nullopt;
  if (!is_low_surrogate(*second)) return kReplacementCode;
  rest.remove_prefix(6);
  return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
}

std::optional<char> simple_escape(char c) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t which = kLetters.find(c);
  if (which == std::string_view::npos) return std::nullopt;
  return kMeanings[which];
}

}  // namespace

bool is_json_number(std::string_view token) {
  if (token.starts_with('-')) token.remove_prefix(1);
  if (token.empty()) return false;
  const bool leading_zero = token.front() == '0';
  const std::string_view after_whole = skip_digits(token);
  const std::size_t whole = token.size() - after_whole.size();
  if (whole == 0 || (leading_zero && whole > 1)) return false;
  token = after_whole;
  if (token.starts_with('.')) {
    const std::string_view after = skip_digits(token.substr(1));
    if (after.size() + 1 == token.size()) return false;
    token = after;
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    token.remove_prefix(1);
    if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
    const std::string_view after = skip_digits(token);
    if (after.size() == token.size()) return false;
    token = after;
  }
  return token.empty();
}

std::optional<std::string_view> unescape_json(std::string_view inside, Scratch& scratch) {
  std::size_t backslash = inside.find('\\');
  if (backslash == std::string_view::npos) return inside;
  // No escape is shorter than what it stands for.
  const std::span<char> room = scratch.take(inside.size());
  std::size_t used = 0;
  while (backslash != std::string_view::npos) {
    std::memcpy(room.data() + used, inside.data(), backslash);
    used += backslash;
    inside.remove_prefix(backslash);
    if (inside.size() < 2) return std::nullopt;
    if (inside[1] == 'u') {
      const auto code = take_unicode(inside);
      if (!code) return std::nullopt;
      used += write_utf8(*code, room.data() + used);
    } else {
      const auto byte = simple_escape(inside[1]);
      if (!byte) return std::nullopt;
      room[used++] = *byte;
      inside.remove_prefix(2);
    }
    backslash = inside.find('\\');
  }
  if (!inside.empty()) std::memcpy(room.data() + used, inside.data(), inside.size());
  return std::string_view(room.data(), used + inside.size());
}

std::string_view repair_utf8(std::string_view text, std::size_t padding, Scratch& scratch) {
  const std::span<char> room = scratch.take(text.size() * kReplacement.size() + padding);
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view piece = length > 0 ? text.substr(0, length) : kReplacement;
    std::memcpy(room.data() + used, piece.data(), piece.size());
    used += piece.size();
    text.remove_prefix(length > 0 ? length : 1);
  }
  std::memset(room.data() + used, 0, padding);
  return {room.data(), used};
}

}  // namespace weir
