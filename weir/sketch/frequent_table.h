// The table under the frequent items: keys and what they weigh, open addressing, emptied from behind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
    // Here and below no branch depends on what a cell holds: there is no telling it, and a wrong guess costs
    // as much as five cells.
    const std::size_t wanted = std::min(kSamples, active_);
    samples_.resize(kSamples + 1);
    std::size_t count = 0;
    for (std::size_t at = 0; count < wanted; ++at) {
      samples_[count] = cells_[at].weight;
      count += cells_[at].weight != 0 ? 1 : 0;
    }
    return median_of(count - 1, count / 2);
  }

  /// The one of `rank` (from 0) among the first samples: counted where it is small, as in most streams it is.
  std::uint64_t median_of(std::size_t count, std::size_t rank) {
    constexpr std::uint64_t kSmall = 32;
    std::array<std::uint32_t, kSmall + 1> small{};
    for (std::size_t i = 0; i < count; ++i) ++small[std::min(samples_[i], kSmall)];
    std::size_t up_to = 0;
    for (std::uint64_t weight = 0; weight < kSmall; ++weight) {
      up_to += small[weight];
      if (up_to > rank) return weight;
    }
    const auto begin = samples_.begin();
    const auto middle = begin + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(begin, middle, begin + static_cast<std::ptrdiff_t>(count));
    return *middle;
  }

  /// Every weight is `amount` less, and who has none left is out. In the order of the cells, from an empty
  /// one on, each that stays goes to the first free cell from its home: the cell it has or one before. That
  /// leaves the keys where deleting one after another from behind would, in one pass.
  void subtract(std::uint64_t amount) {
    std::size_t empty = 0;
    while (cells_[empty].weight != 0) ++empty;
    staying_.resize(cells_.size() + 1);
    std::size_t count = 0;
    std::size_t before_empty = 0;
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      if (at == empty) before_empty = count;
      const std::uint64_t weight = cells_[at].weight;
      const std::uint64_t left = weight > amount ? weight - amount : 0;
      cells_[at].weight = left;
      staying_[count] = static_cast<std::uint32_t>(at);
      count += left != 0 ? 1 : 0;
    }
    active_ = count;
    for (std::size_t i = before_empty; i < count; ++i) settle(staying_[i]);
    for (std::size_t i = 0; i < before_empty; ++i) settle(staying_[i]);
  }

  void settle(std::size_t at) {
    const std::size_t mask = cells_.size() - 1;
    std::size_t home = cells_[at].hash() & mask;
    while (home != at && cells_[home].weight != 0) home = (home + 1) & mask;
    if (home == at) return;
    cells_[home] = cells_[at];
    cells_[at].weight = 0;
  }

  static constexpr std::size_t kSamples = 1'024;

  unsigned lg_most_;
  std::size_t active_ = 0;
  std::vector<Slot> cells_;
  // What throwing out works with, kept so that it allocates once.
  std::vector<std::uint64_t> samples_;
  std::vector<std::uint32_t> staying_;
};

}  // namespace weir
