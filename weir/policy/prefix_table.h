// Which of many prefixes (CIDR) an address lies in.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weir/policy/address.h"

namespace weir {

/// Two prefixes are either nested or apart. So the address space falls into stretches, each with one
/// innermost prefix, and every prefix knows the one around it. A look-up is one binary search and a walk over
/// the prefixes that match.
class PrefixTable {
 public:
  PrefixTable() = default;
  /// Each prefix with the number that it is known by; no prefix twice.
  explicit PrefixTable(std::span<const std::pair<Prefix, std::uint32_t>> prefixes);

  /// Calls `found(number)` for each prefix that holds `address`, the innermost first.
  template <class Found>
  void find(const Address& address, Found&& found) const {
    const Family& family = families_[address.v4 ? 0 : 1];
    for (std::int32_t node = family.innermost(address.bits); node != kNone;
         node = family.nodes[index(node)].around) {
      found(family.nodes[index(node)].number);
    }
  }

  bool contains(const Address& address) const {
    return families_[address.v4 ? 0 : 1].innermost(address.bits) != kNone;
  }

 private:
  static constexpr std::int32_t kNone = -1;
  static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }

  struct Node {
    std::uint32_t number;
    /// The next larger prefix that holds this one.
    std::int32_t around;
  };
  struct Family {
    /// Where each stretch begins, ascending, and the innermost prefix there.
    std::vector<Wide> starts;
    std::vector<std::int32_t> inner;
    std::vector<Node> nodes;

    std::int32_t innermost(Wide bits) const;
    void begin_stretch(Wide start, std::int32_t node);
    void build(std::vector<std::pair<Prefix, std::uint32_t>> prefixes);
  };
  std::array<Family, 2> families_;
};

}  // namespace weir
