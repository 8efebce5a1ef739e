// The table under the frequent items: keys and what they weigh, open addressing, emptied from behind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace weir {

/// Slot is a cell with `std::uint64_t weight` (0 where it is empty) and `std::uint64_t hash() const`. Where
/// things stand, what is thrown out and in what order the cells are told are as in Apache DataSketches, so
/// that the image of the same stream is the same.
template <class Slot>
class FrequentTable {
 public:
  static constexpr unsigned kLeastLg = 3;

  /// Grows by doubling from `lg` up to 2^lg_most cells.
  FrequentTable(unsigned lg, unsigned lg_most) : lg_most_(lg_most), cells_(std::size_t{1} << lg) {}

  std::size_t size() const { return active_; }
  std::size_t cells() const { return cells_.size(); }
  unsigned lg_most() const { return lg_most_; }
  /// Three quarters are used.
  static constexpr std::size_t capacity(std::size_t cells) { return cells / 4 * 3; }

  /// The cell of the key with this hash that `is_it` knows, or the empty one where it would stand.
  template <class IsIt>
  Slot& find(std::uint64_t hash, IsIt is_it) {
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = hash & mask;
    while (cells_[at].weight != 0 && !is_it(cells_[at])) at = (at + 1) & mask;
    return cells_[at];
  }
  template <class IsIt>
  const Slot& find(std::uint64_t hash, IsIt is_it) const {
    const std::size_t mask = cells_.size() - 1;
    std::size_t at = hash & mask;
    while (cells_[at].weight != 0 && !is_it(cells_[at])) at = (at + 1) & mask;
    return cells_[at];
  }

  /// To be called when an empty cell that find() gave has been filled. Grows or throws out; what every key
  /// has lost by that is the answer.
  std::uint64_t filled() {
    if (++active_ <= capacity(cells_.size())) return 0;
    if (cells_.size() < std::size_t{1} << lg_most_) {
      grow();
      return 0;
    }
    const std::uint64_t median = sampled_median();
    subtract(median);
    return median;
  }

  /// Calls visit(const Slot&) for every key, in steps of the golden ratio: filling another table in the order
  /// of the cells would make its clusters long.
  template <class Visit>
  void visit(Visit visit) const {
    std::size_t at = 0;
    while (at < cells_.size() && cells_[at].weight == 0) ++at;
    const auto golden = static_cast<std::size_t>(static_cast<double>(cells_.size()) * 0.6180339887498949025);
    const std::size_t step = golden | 1U;
    for (std::size_t told = 0; told < active_; at = (at + step) & (cells_.size() - 1)) {
      if (cells_[at].weight == 0) continue;
      ++told;
      visit(cells_[at]);
    }
  }

  /// Calls change(Slot&) for every key, in any order.
  template <class Change>
  void change_each(Change change) {
    for (Slot& cell : cells_) {
      if (cell.weight != 0) change(cell);
    }
  }

 private:
  void grow() {
    std::vector<Slot> before(cells_.size() * 2);
    before.swap(cells_);
    for (Slot& cell : before) {
      if (cell.weight != 0) find(cell.hash(), [](const Slot&) { return false; }) = std::move(cell);
    }
  }

  /// The median of the first 1,024 weights, without the last of them, as DataSketches takes it. About half of
  /// the keys weigh no more, so that throwing out costs a fixed time for each that came.
  std::uint64_t sampled_median() {
    constexpr std::size_t kSamples = 1'024;
    samples_.clear();
    for (std::size_t at = 0; samples_.size() < std::min(kSamples, active_); ++at) {
      if (cells_[at].weight != 0) samples_.push_back(cells_[at].weight);
    }
    const auto middle = samples_.begin() + static_cast<std::ptrdiff_t>(samples_.size() / 2);
    std::nth_element(samples_.begin(), middle, samples_.end() - 1);
    return *middle;
  }

  /// Every weight is `amount` less, and who has none left is out. From the end of a cluster to its front, so
  /// that what moves up has been looked at.
  void subtract(std::uint64_t amount) {
    std::size_t first = cells_.size() - 1;
    while (cells_[first].weight != 0) --first;
    for (std::size_t at = first; at-- > 0;) subtract_at(at, amount);
    for (std::size_t at = cells_.size(); at-- > first;) subtract_at(at, amount);
  }

  void subtract_at(std::size_t at, std::uint64_t amount) {
    if (cells_[at].weight == 0) return;
    if (cells_[at].weight > amount) {
      cells_[at].weight -= amount;
      return;
    }
    erase(at);
    --active_;
  }

  /// Fills the hole with the next of the cluster that may stand there, and so on with its hole.
  void erase(std::size_t hole) {
    const std::size_t mask = cells_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; cells_[at].weight != 0; at = (at + 1) & mask) {
      const std::size_t from_home = (at - cells_[at].hash()) & mask;
      if (from_home < ((at - hole) & mask)) continue;
      cells_[hole] = std::move(cells_[at]);
      hole = at;
    }
    cells_[hole].weight = 0;
  }

  unsigned lg_most_;
  std::size_t active_ = 0;
  std::vector<Slot> cells_;
  std::vector<std::uint64_t> samples_;
};

}  // namespace weir
