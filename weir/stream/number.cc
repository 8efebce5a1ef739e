#include "weir/stream/number.h"

#include <charconv>
#include <cmath>

#include "weir/base/text.h"

namespace weir {
namespace {

/// Sums of so many digits are exact in a double, and most numbers in logs are such.
constexpr std::size_t kExactDigits = 15;

std::optional<double> parse_short_integer(std::string_view text) {
  if (text.empty() || text.size() > kExactDigits) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (const auto value = parse_short_integer(text)) return value;
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace weir
