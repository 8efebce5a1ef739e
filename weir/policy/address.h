// Internet addresses: one form for the many ways to write each, and the prefixes (CIDR) that hold them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weir/base/wide.h"

namespace weir {

struct Address {
  /// The address as a number; IPv4 in the low 32 bits.
  Wide bits = 0;
  bool v4 = false;
  bool operator==(const Address&) const = default;
};

constexpr unsigned width(bool v4) {
  return v4 ? 32 : 128;
}

/// "192.0.2.1", "2001:db8::1", either with a port ("192.0.2.1:80", "[2001:db8::1]:80"), brackets, a zone
/// ("fe80::1%eth0") or blanks around it, all of which are dropped. IPv6 forms that carry an IPv4 address
/// (mapped ::ffff:0:0/96, NAT64 64:ff9b::/96, 6to4 2002::/16) are read as that. Nothing when it is no
/// address; numbers with leading zeros (octal to some) are none.
std::optional<Address> parse_address(std::string_view text);

/// Canonical text (RFC 5952).
void append_address(std::string& out, const Address& address);
std::string to_text(const Address& address);

/// The first `length` bits of `address`, the others zero.
Address cut(const Address& address, unsigned length);

/// All addresses that begin with the first `length` bits of `first`, whose others are zero.
struct Prefix {
  Address first;
  unsigned length = 0;

  bool contains(const Address& address) const {
    return address.v4 == first.v4 && cut(address, length) == first;
  }
  /// The highest address in it.
  Wide last() const;
  bool is_one_address() const { return length == width(first.v4); }
  bool operator==(const Prefix&) const = default;
};

/// "192.0.2.0/24", "2001:db8::/32"; an address alone is the prefix that holds only it.
std::string to_text(const Prefix& prefix);

struct PrefixReading {
  /// Nothing when it is no address or prefix.
  std::optional<Prefix> prefix;
  /// Why not, if more can be said: a sentence with what was meant.
  std::string hint;
};
/// Reads an address or "address/length". Bits behind the prefix that are set are refused with a hint that
/// names the network. Prefixes of the forms that carry IPv4 are read as IPv4 prefixes.
PrefixReading parse_prefix(std::string_view text);

}  // namespace weir
