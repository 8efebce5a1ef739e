#include "weir/policy/literal_finder.h"

#include <algorithm>
#include <numeric>

namespace weir {

LiteralFinder::LiteralFinder(std::span<const std::string> literals) {
  if (literals.empty()) return;
  build_trie(literals);
  link_suffixes();
}

// Level by level: each node is a range of the sorted literals that share its bytes, and its children are the
// parts of that range with one next byte each.
void LiteralFinder::build_trie(std::span<const std::string> literals) {
  literals_at_.resize(literals.size());
  std::iota(literals_at_.begin(), literals_at_.end(), 0U);
  std::sort(literals_at_.begin(), literals_at_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return literals[a] < literals[b]; });
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
  };
  std::vector<Range> ranges{{0, literals.size(), 0}};
  nodes_.emplace_back();
  for (std::size_t node = 0; node < ranges.size(); ++node) {
    const Range range = ranges[node];  // a copy, because more of them are added below
    const std::size_t begin = range.begin;
    const std::size_t end = range.end;
    const std::size_t depth = range.depth;
    const auto next_byte = [&](std::size_t i) {
      return static_cast<unsigned char>(literals[literals_at_[i]][depth]);
    };
    std::size_t i = begin;
    while (i < end && literals[literals_at_[i]].size() == depth) ++i;
    nodes_[node].ends = static_cast<std::uint32_t>(begin);
    nodes_[node].ends_stop = static_cast<std::uint32_t>(i);
    nodes_[node].edges = static_cast<std::uint32_t>(edges_.size());
    while (i < end) {
      const std::size_t first = i;
      while (i < end && next_byte(i) == next_byte(first)) ++i;
      edges_.push_back({next_byte(first), static_cast<std::uint32_t>(nodes_.size())});
      nodes_.emplace_back();
      ranges.push_back({first, i, depth + 1});
    }
    nodes_[node].edges_stop = static_cast<std::uint32_t>(edges_.size());
  }
  for (std::uint32_t i = nodes_[kRoot].edges; i != nodes_[kRoot].edges_stop; ++i)
    from_root_[edges_[i].byte] = edges_[i].child;
}

void LiteralFinder::link_suffixes() {
  // Nodes stand in order of their depth, so those that a node falls back to are linked before it.
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    for (std::uint32_t i = nodes_[node].edges; i != nodes_[node].edges_stop; ++i) {
      Node& below = nodes_[edges_[i].child];
      below.fallback = node == kRoot ? kRoot : step(nodes_[node].fallback, edges_[i].byte);
      const Node& suffix = nodes_[below.fallback];
      below.next_end = suffix.ends != suffix.ends_stop ? below.fallback : suffix.next_end;
    }
  }
}

std::uint32_t LiteralFinder::child(const Node& node, unsigned char byte) const {
  // Nearly every node has one child or a few.
  std::uint32_t low = node.edges;
  std::uint32_t high = node.edges_stop;
  while (high - low > 8) {
    const std::uint32_t middle = low + (high - low) / 2;
    (edges_[middle].byte <= byte ? low : high) = middle;
  }
  for (; low != high; ++low) {
    if (edges_[low].byte == byte) return edges_[low].child;
  }
  return kNone;
}

std::uint32_t LiteralFinder::step(std::uint32_t at, unsigned char byte) const {
  while (at != kRoot) {
    if (const std::uint32_t next = child(nodes_[at], byte); next != kNone) return next;
    at = nodes_[at].fallback;
  }
  return from_root_[byte];
}

void LiteralFinder::begin_search(FinderScratch& scratch) const {
  if (scratch.stamps.size() < nodes_.size()) scratch.stamps.resize(nodes_.size(), 0);
  if (++scratch.search == 0) {
    std::fill(scratch.stamps.begin(), scratch.stamps.end(), 0U);
    scratch.search = 1;
  }
}

}  // namespace weir
