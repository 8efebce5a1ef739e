// Which of many atoms match a value, without trying them one by one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weir/policy/condition.h"
#include "weir/policy/literal_finder.h"
#include "weir/policy/prefix_table.h"
#include "weir/policy/string_map.h"

namespace weir {

/// Texts are looked up by hash and prefixes by binary search. A pattern is tried only on values that hold the
/// rarest of its literals, all of which are searched for at once.
class AtomIndex {
 public:
  struct Entry {
    const Atom* atom;
    std::uint32_t id;
  };
  AtomIndex() = default;
  explicit AtomIndex(std::span<const Entry> entries);

  /// Calls `found(id)` for each entry whose atom matches.
  template <class Found>
  void find(const Value& value, FinderScratch& scratch, Found&& found) const {
    if (const auto group = texts_.find(value.text)) tell(*group, found);
    if (value.address) {
      prefixes_.find(*value.address, [&](std::uint32_t group) { tell(group, found); });
    }
    for (const std::uint32_t i : without_literal_) try_pattern(i, value, found);
    literals_.find(value.text, scratch, [&](std::uint32_t i) { try_pattern(i, value, found); });
  }

 private:
  /// The ids of the entries that have one and the same atom: ids_[begin..end).
  struct Group {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct GroupedPattern {
    Pattern pattern;
    std::uint32_t group;
  };

  template <class Found>
  void tell(std::uint32_t group, Found& found) const {
    for (std::uint32_t i = groups_[group].begin; i != groups_[group].end; ++i) found(ids_[i]);
  }
  template <class Found>
  void try_pattern(std::uint32_t i, const Value& value, Found& found) const {
    if (patterns_[i].pattern.matches(value.text)) tell(patterns_[i].group, found);
  }
  void index_patterns(std::vector<GroupedPattern> patterns);

  std::vector<Group> groups_;
  std::vector<std::uint32_t> ids_;
  StringMap texts_;
  PrefixTable prefixes_;
  // Those that `literals_` finds come first, in its order.
  std::vector<GroupedPattern> patterns_;
  std::vector<std::uint32_t> without_literal_;
  LiteralFinder literals_;
};

}  // namespace weir
