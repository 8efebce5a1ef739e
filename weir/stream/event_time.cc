#include "weir/stream/event_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include "weir/stream/json_text.h"

namespace weir {
namespace {

/// Longer than any time that fits, with room for more decimals than count.
constexpr std::size_t kLongest = 64;
constexpr int kLargestExponent = 32;

/// "1.431857103e9", whose `e` stands at `e`, as parse_seconds() reads it: the point moved, no exponent.
std::optional<Nanos> parse_scientific(std::string_view text, std::size_t e) {
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  int exponent = 0;
  const char* end = exponent_text.data() + exponent_text.size();
  const auto read = std::from_chars(exponent_text.data(), end, exponent);
  if (read.ec != std::errc{} || read.ptr != end || exponent_text.empty()) return std::nullopt;
  if (exponent < -kLargestExponent || exponent > kLargestExponent) return std::nullopt;
  std::string_view mantissa = text.substr(0, e);
  const bool negative = mantissa.starts_with('-');
  if (negative) mantissa.remove_prefix(1);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  if (point < mantissa.size()) digits += mantissa.substr(point + 1);
  auto whole = static_cast<int>(point) + exponent;
  if (whole <= 0) {
    digits.insert(0, static_cast<std::size_t>(1 - whole), '0');
    whole = 1;
  }
  if (static_cast<int>(digits.size()) < whole) digits.resize(static_cast<std::size_t>(whole), '0');
  if (static_cast<int>(digits.size()) > whole) digits.insert(static_cast<std::size_t>(whole), 1, '.');
  return parse_seconds((negative ? "-" : "") + digits);
}

}  // namespace

std::optional<Nanos> parse_event_time(std::string_view text) {
  if (text.size() > kLongest) return std::nullopt;
  if (const auto seconds = parse_seconds(text)) return seconds;
  if (const auto instant = parse_rfc3339(text)) return instant;
  constexpr std::size_t kShortestWithoutZone = std::string_view("2015-05-17T10:05:03").size();
  if (text.size() >= kShortestWithoutZone && text[4] == '-') {
    std::array<char, kLongest + 1> with_zone{};
    std::memcpy(with_zone.data(), text.data(), text.size());
    with_zone[text.size()] = 'Z';
    return parse_rfc3339({with_zone.data(), text.size() + 1});
  }
  const std::size_t e = text.find_first_of("eE");
  return e != std::string_view::npos && is_json_number(text) ? parse_scientific(text, e) : std::nullopt;
}

}  // namespace weir
