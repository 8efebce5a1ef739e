#include "weir/stream/log_escapes.h"

#include <optional>

#include "weir/base/text.h"

namespace weir {
namespace {

std::optional<char> named_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'v':
      return '\v';
    case 'f':
      return '\f';
    default:
      return std::nullopt;
  }
}

struct Escape {
  char byte;
  std::size_t length;
};

/// What `rest`, which begins with a backslash, stands for; a lone backslash for itself.
Escape read_escape(std::string_view rest) {
  if (rest.size() >= 4 && rest[1] == 'x') {
    const auto high = hex_digit(rest[2]);
    const auto low = hex_digit(rest[3]);
    if (high && low) return {static_cast<char>(*high * 16 + *low), 4};
  }
  if (rest.size() >= 2) {
    if (const auto byte = named_escape(rest[1])) return {*byte, 2};
  }
  return {'\\', 1};
}

}  // namespace

std::string_view unescape_log(std::string_view text, Scratch& scratch) {
  const std::span<char> room = scratch.take(text.size());
  std::size_t used = 0;
  while (!text.empty()) {
    const Escape next = text.front() == '\\' ? read_escape(text) : Escape{text.front(), 1};
    room[used++] = next.byte;
    text.remove_prefix(next.length);
  }
  return {room.data(), used};
}

}  // namespace weir
