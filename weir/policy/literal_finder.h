// Which of many literals occur in a text, in one pass over it (Aho and Corasick, 1975).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// What tells the searches of one thread apart, so that nothing has to be cleared between them.
struct FinderScratch {
  std::vector<std::uint32_t> stamps;
  std::uint32_t search = 0;
};

/// A trie of the literals. Each node knows, besides its children, the longest other node that is a suffix of
/// it (where to go on when no child fits) and the nearest such node that ends a literal.
class LiteralFinder {
 public:
  LiteralFinder() = default;
  /// REQUIRES: no empty literal.
  explicit LiteralFinder(std::span<const std::string> literals);

  /// Calls `found(i)` once for each literals[i] that occurs in `text`. Whatever the text, the time is
  /// proportional to its length and the number of literals found: a node whose findings were told is not gone
  /// through again.
  template <class Found>
  void find(std::string_view text, FinderScratch& scratch, Found&& found) const {
    if (nodes_.empty()) return;
    begin_search(scratch);
    std::uint32_t at = kRoot;
    for (const char c : text) {
      at = step(at, static_cast<unsigned char>(c));
      std::uint32_t end = nodes_[at].ends != nodes_[at].ends_stop ? at : nodes_[at].next_end;
      for (; end != kRoot && scratch.stamps[end] != scratch.search; end = nodes_[end].next_end) {
        scratch.stamps[end] = scratch.search;
        for (std::uint32_t i = nodes_[end].ends; i != nodes_[end].ends_stop; ++i) found(literals_at_[i]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  struct Node {
    /// Its children: edges_[edges..edges_stop), ascending by byte.
    std::uint32_t edges = 0;
    std::uint32_t edges_stop = 0;
    /// The literals that end here: literals_at_[ends..ends_stop).
    std::uint32_t ends = 0;
    std::uint32_t ends_stop = 0;
    /// The longest proper suffix that is a node.
    std::uint32_t fallback = kRoot;
    /// The longest proper suffix that ends a literal; the root when there is none.
    std::uint32_t next_end = kRoot;
  };
  struct Edge {
    unsigned char byte;
    std::uint32_t child;
  };

  void begin_search(FinderScratch& scratch) const;
  std::uint32_t step(std::uint32_t at, unsigned char byte) const;
  std::uint32_t child(const Node& node, unsigned char byte) const;
  void build_trie(std::span<const std::string> literals);
  void link_suffixes();

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> literals_at_;
  // The root has many children and is where most bytes lead back to.
  std::array<std::uint32_t, 256> from_root_{};
};

}  // namespace weir
