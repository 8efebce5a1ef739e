#include "weir/policy/address.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr Wide kMappedFirst = Wide{0xFFFF} << 32U;                            // ::ffff:0:0
constexpr Wide kNat64First = (Wide{0x0064} << 112U) | (Wide{0xFF9B} << 96U);  // 64:ff9b::
constexpr Wide kSixToFourFirst = Wide{0x2002} << 112U;                        // 2002::
constexpr Wide kLow32 = 0xFFFFFFFFU;

std::optional<std::uint32_t> take_octet(std::string_view& text) {
  std::uint32_t value = 0;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 4 && is_digit(text[digits])) {
    value = value * 10 + static_cast<std::uint32_t>(text[digits++] - '0');
  }
  if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && text[0] == '0')) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::optional<std::uint32_t> parse_v4(std::string_view text) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (text.empty() || text[0] != '.') return std::nullopt;
      text.remove_prefix(1);
    }
    const auto octet = take_octet(text);
    if (!octet) return std::nullopt;
    bits = bits << 8U | *octet;
  }
  if (!text.empty()) return std::nullopt;
  return bits;
}

std::optional<std::uint16_t> take_group(std::string_view& text) {
  std::uint16_t value = 0;
  const std::string_view digits = text.substr(0, 4);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (problem != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - digits.data()));
  return value;
}

/// The groups of an IPv6 address as they are read, and where "::" stood among them.
struct Groups {
  std::array<std::uint16_t, 8> value{};
  std::size_t count = 0;
  std::optional<std::size_t> gap;

  bool add(std::uint32_t group) {
    if (count == value.size()) return false;
    value[count++] = static_cast<std::uint16_t>(group);
    return true;
  }

  std::optional<Wide> bits() const {
    if (gap ? count > 7 : count != 8) return std::nullopt;
    Wide result = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (gap == i) result <<= 16 * (8 - count);
      result = result << 16U | value[i];
    }
    if (gap == count) {
      // The shift by 128 that an address of no groups would need is undefined.
      result = count == 0 ? 0 : result << 16 * (8 - count);
    }
    return result;
  }
};

/// Reads "::" or the ":" between groups. False when neither is there.
bool take_colons(std::string_view& text, Groups& groups) {
  if (text.starts_with("::")) {
    if (groups.gap) return false;
    groups.gap = groups.count;
    text.remove_prefix(2);
    return true;
  }
  if (groups.count == 0 || text[0] != ':') return false;
  text.remove_prefix(1);
  return !text.empty();
}

std::optional<Wide> parse_v6(std::string_view text) {
  // The shortest is "::", the longest eight groups with an IPv4 tail.
  if (text.size() < 2 || text.size() > 45) return std::nullopt;
  Groups groups;
  if (text.starts_with("::") && !take_colons(text, groups)) return std::nullopt;
  while (!text.empty()) {
    if (text.find(':') == std::string_view::npos && text.find('.') != std::string_view::npos) {
      const auto tail = parse_v4(text);
      if (!tail || !groups.add(*tail >> 16U) || !groups.add(*tail & 0xFFFFU)) return std::nullopt;
      break;
    }
    const auto group = take_group(text);
    if (!group || !groups.add(*group)) return std::nullopt;
    if (!text.empty() && !take_colons(text, groups)) return std::nullopt;
  }
  return groups.bits();
}

bool is_port(std::string_view text) {
  std::uint32_t port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  return !text.empty() && problem == std::errc{} && end == text.data() + text.size() && port <= 65535;
}

/// The address inside "[...]" or "[...]:port", without its zone; `text` itself when it has no brackets.
std::optional<std::string_view> strip_decoration(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && (rest[0] != ':' || !is_port(rest.substr(1)))) return std::nullopt;
    text = text.substr(1, end - 1);
  } else if (const std::size_t colon = text.find(':');
             colon != std::string_view::npos && text.find('.') < colon && is_port(text.substr(colon + 1))) {
    return text.substr(0, colon);
  }
  const std::size_t zone = text.find('%');
  if (zone == std::string_view::npos) return text;
  if (zone + 1 == text.size() || text.find(':') > zone) return std::nullopt;
  return text.substr(0, zone);
}

/// How many leading bits say that an IPv6 address carries an IPv4 one, which follows them; 0 when it does
/// not.
unsigned carrier_bits(Wide bits) {
  if (bits >> 32U == kMappedFirst >> 32U || bits >> 32U == kNat64First >> 32U) return 96;
  return bits >> 112U == kSixToFourFirst >> 112U ? 16 : 0;
}

Address carried(Wide bits, unsigned carrier) {
  return {(bits >> (96 - carrier)) & kLow32, true};
}

/// Addresses are written for every request: this is what fmt does, without its ways.
void append_number(std::string& out, std::uint32_t number, int base) {
  std::array<char, 10> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  out.append(digits.data(), end);
}

void append_v4(std::string& out, std::uint32_t bits) {
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    if (shift < 32) out += '.';
    append_number(out, (bits >> (shift - 8)) & 0xFFU, 10);
  }
}

/// The longest run of zero groups, at least two long; the first of several.
std::pair<std::size_t, std::size_t> longest_zeros(const std::array<std::uint16_t, 8>& groups) {
  std::pair<std::size_t, std::size_t> best{8, 0};
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.second) best = {i, end - i};
    i = end + 1;
  }
  return best;
}

void append_v6(std::string& out, Wide bits) {
  std::array<std::uint16_t, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = static_cast<std::uint16_t>(bits >> (16 * (7 - i)));
  const auto [start, length] = longest_zeros(groups);
  for (std::size_t i = 0; i < 8;) {
    if (i == start) {
      out += "::";
      i += length;
      continue;
    }
    if (i > 0 && i != start + length) out += ':';
    append_number(out, groups[i++], 16);
  }
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  text = trim(text, " \t");
  const auto bare = strip_decoration(text);
  if (!bare) return std::nullopt;
  if (bare->find(':') == std::string_view::npos) {
    // Brackets belong to IPv6 alone.
    const auto bits = text.starts_with('[') ? std::nullopt : parse_v4(*bare);
    return bits ? std::optional(Address{*bits, true}) : std::nullopt;
  }
  const auto bits = parse_v6(*bare);
  if (!bits) return std::nullopt;
  if (const unsigned carrier = carrier_bits(*bits); carrier != 0) return carried(*bits, carrier);
  return Address{*bits, false};
}

void append_address(std::string& out, const Address& address) {
  if (address.v4) {
    append_v4(out, static_cast<std::uint32_t>(address.bits));
  } else {
    append_v6(out, address.bits);
  }
}

std::string to_text(const Address& address) {
  std::string out;
  append_address(out, address);
  return out;
}

Address cut(const Address& address, unsigned length) {
  const unsigned dropped = width(address.v4) - length;
  if (dropped == 0) return address;
  return {dropped == 128 ? 0 : address.bits >> dropped << dropped, address.v4};
}

Wide Prefix::last() const {
  const unsigned free_bits = width(first.v4) - length;
  return first.bits | (free_bits == 128 ? ~Wide{0} : (Wide{1} << free_bits) - 1);
}

std::string to_text(const Prefix& prefix) {
  return prefix.is_one_address() ? to_text(prefix.first)
                                 : fmt::format("{}/{}", to_text(prefix.first), prefix.length);
}

PrefixReading parse_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    const auto address = parse_address(text);
    if (!address) return {};
    return {Prefix{*address, width(address->v4)}, {}};
  }
  const std::string_view before = text.substr(0, slash);
  const auto length = parse_uint(text.substr(slash + 1));
  const auto v4 = parse_v4(before);
  const auto v6 = parse_v6(before);
  if (!v4 && !v6) return {};
  const unsigned most = width(v4.has_value());
  if (!length || *length > most) {
    return {std::nullopt, fmt::format("the length of its prefix must be a whole number from 0 to {}", most)};
  }
  const Address written = v4 ? Address{*v4, true} : Address{*v6, false};
  const auto bits = static_cast<unsigned>(*length);
  const Address first = cut(written, bits);
  if (first != written) {
    return {std::nullopt,
            fmt::format("bits behind the prefix are set; the network is {}/{}", to_text(first), bits)};
  }
  const unsigned carrier = written.v4 ? 0 : carrier_bits(first.bits);
  if (carrier == 0 || bits < carrier) return {Prefix{first, bits}, {}};
  const Address inner = carried(first.bits, carrier);
  if (bits > carrier + 32) {
    return {std::nullopt, fmt::format("such addresses are read as their IPv4; write {}", to_text(inner))};
  }
  return {Prefix{inner, bits - carrier}, {}};
}

}  // namespace weir
