#include "weir/policy/atom_index.h"

#include <algorithm>
#include <unordered_map>

namespace weir {
namespace {

using Counts = std::unordered_map<std::string, std::size_t>;

/// The literal of `pattern` that the fewest patterns have, the longest of several; null when all are empty.
const std::string* rarest_literal(const Pattern& pattern, const Counts& counts) {
  const std::string* best = nullptr;
  std::size_t best_count = 0;
  for (const std::string& literal : pattern.literals()) {
    if (literal.empty()) continue;
    const std::size_t count = counts.at(literal);
    if (best == nullptr || count < best_count || (count == best_count && literal.size() > best->size())) {
      best = &literal;
      best_count = count;
    }
  }
  return best;
}

}  // namespace

AtomIndex::AtomIndex(std::span<const Entry> entries) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> ids_of;
  std::vector<std::pair<const Atom*, const std::vector<std::uint32_t>*>> groups;
  for (const Entry& entry : entries) {
    const auto [ids, is_new] = ids_of.try_emplace(entry.atom->identity());
    if (is_new) groups.emplace_back(entry.atom, &ids->second);
    ids->second.push_back(entry.id);
  }
  std::vector<std::pair<Prefix, std::uint32_t>> prefixes;
  std::vector<GroupedPattern> patterns;
  for (const auto& [atom, ids] : groups) {
    const auto group = static_cast<std::uint32_t>(groups_.size());
    const auto begin = static_cast<std::uint32_t>(ids_.size());
    ids_.insert(ids_.end(), ids->begin(), ids->end());
    groups_.push_back({begin, static_cast<std::uint32_t>(ids_.size())});
    if (const auto* text = std::get_if<std::string>(&atom->is)) {
      texts_.insert(*text, group);
    } else if (const auto* prefix = std::get_if<Prefix>(&atom->is)) {
      prefixes.emplace_back(*prefix, group);
    } else {
      patterns.push_back({std::get<Pattern>(atom->is), group});
    }
  }
  prefixes_ = PrefixTable(prefixes);
  index_patterns(std::move(patterns));
}

void AtomIndex::index_patterns(std::vector<GroupedPattern> patterns) {
  Counts counts;
  for (const GroupedPattern& grouped : patterns) {
    for (const std::string& literal : grouped.pattern.literals()) ++counts[literal];
  }
  const auto without = std::stable_partition(
      patterns.begin(), patterns.end(),
      [&](const GroupedPattern& grouped) { return rarest_literal(grouped.pattern, counts) != nullptr; });
  std::vector<std::string> literals;
  for (auto grouped = patterns.begin(); grouped != without; ++grouped) {
    literals.push_back(*rarest_literal(grouped->pattern, counts));
  }
  for (auto i = static_cast<std::uint32_t>(literals.size()); i < patterns.size(); ++i)
    without_literal_.push_back(i);
  literals_ = LiteralFinder(literals);
  patterns_ = std::move(patterns);
}

}  // namespace weir
