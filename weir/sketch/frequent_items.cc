#include "weir/sketch/frequent_items.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir {
namespace {

constexpr std::string_view kWhat = "top-k summary";

}  // namespace

template <class Keys>
Result<FrequentItems<Keys>> FrequentItems<Keys>::create(unsigned lg_cells, Seed seed) {
  if (lg_cells < kMinLg || lg_cells > kMaxLg) {
    return error_of(kWhat, "lg_cells is " + std::to_string(lg_cells) + "; it must be from 3 to 21");
  }
  return FrequentItems(FrequentTable<int>::kLeastLg, lg_cells, seed);
}

template <class Keys>
Result<unsigned> FrequentItems<Keys>::suggest_lg_cells(double share) {
  for (unsigned lg = kMinLg; lg <= kMaxLg; ++lg) {
    if (kErrorFactor / std::ldexp(1.0, static_cast<int>(lg)) <= share) return lg;
  }
  return error_of(
      kWhat, "an error of " + std::to_string(share) + " of the total can't be had; the least is 0.0000017");
}

template <class Keys>
std::size_t FrequentItems<Keys>::memory_bytes(unsigned lg_cells, std::size_t key_bytes) {
  constexpr std::size_t kSampleBytes = 1'024 * sizeof(std::uint64_t);
  const std::size_t cells = std::size_t{1} << lg_cells;
  // Texts stand there twice for as long as a sweep takes.
  return sizeof(FrequentItems) + kSampleBytes + cells * (Keys::kCellBytes + sizeof(std::uint32_t)) +
         2 * (cells / 4 * 3 + 1) * key_bytes;
}

template <class Keys>
std::uint64_t FrequentItems<Keys>::sum(std::uint64_t a, std::uint64_t b) {
  if (b <= kMostWeight - a) return a + b;
  saturated_ = true;
  return kMostWeight;
}

template <class Keys>
void FrequentItems<Keys>::add_hashed(Key key, std::uint64_t hash, std::uint64_t weight) {
  total_ = sum(total_, std::min(weight, kMostWeight));
  bool inserted = false;
  std::uint64_t& kept = keys_.at(key, hash, inserted);
  kept = sum(kept, std::min(weight, kMostWeight));
  if (inserted) offset_ = sum(offset_, keys_.filled());
}

template <class Keys>
void FrequentItems<Keys>::add(Key key, std::uint64_t weight) {
  if (weight == 0) return;
  std::string room;
  const Key admitted = keys_.admit(key, room);
  add_hashed(admitted, keys_.hash(admitted), weight);
}

template <class Keys>
void FrequentItems<Keys>::add(std::span<const Key> keys) {
  std::array<std::uint64_t, 64> hashes{};
  std::string room;
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size(), hashes.size());
    for (std::size_t i = 0; i < count; ++i) hashes[i] = keys_.hash(keys[i]);
    for (std::size_t i = 0; i < count; ++i) {
      const Key admitted = keys_.admit(keys[i], room);
      add_hashed(admitted, admitted == keys[i] ? hashes[i] : keys_.hash(admitted), 1);
    }
    keys = keys.subspan(count);
  }
}

template <class Keys>
Status FrequentItems<Keys>::merge(const FrequentItems& other) {
  if (Status same = check_same(lg_cells(), other.lg_cells(), "lg_cells", kWhat); !same) return same;
  if (Status same = check_same_seed(seed_, other.seed_, kWhat); !same) return same;
  if (this == &other) return merge(FrequentItems(other));
  const std::uint64_t total = sum(total_, other.total_);
  other.keys_.visit([&](Key key, std::uint64_t weight) { add(key, weight); });
  offset_ = sum(offset_, other.offset_);
  total_ = total;
  saturated_ = saturated_ || other.saturated_;
  return Done{};
}

template <class Keys>
typename FrequentItems<Keys>::Bounds FrequentItems<Keys>::bounds(Key key) const {
  std::string room;
  const Key admitted = keys_.admit(key, room);
  const std::uint64_t weight = keys_.weight(admitted, keys_.hash(admitted));
  return {weight, weight + offset_};
}

template <class Keys>
template <class Wanted>
std::vector<typename FrequentItems<Keys>::Item> FrequentItems<Keys>::sorted(Wanted wanted) const {
  std::vector<Item> items;
  keys_.visit([&](Key key, std::uint64_t weight) {
    if (wanted(weight)) items.push_back({OwnedKey(key), weight, weight + offset_});
  });
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return a.lower != b.lower ? a.lower > b.lower : a.key < b.key;
  });
  return items;
}

template <class Keys>
std::vector<typename FrequentItems<Keys>::Item> FrequentItems<Keys>::top(std::size_t k) const {
  std::vector<Item> items = sorted([](std::uint64_t) { return true; });
  if (items.size() > k) items.resize(k);
  return items;
}

template <class Keys>
std::vector<typename FrequentItems<Keys>::Item> FrequentItems<Keys>::above(std::uint64_t threshold,
                                                                           FrequentErrors errors) const {
  const std::uint64_t least = std::max(threshold, offset_);
  const std::uint64_t slack = errors == FrequentErrors::no_false_negatives ? offset_ : 0;
  return sorted([&](std::uint64_t weight) { return weight + slack > least; });
}

template class FrequentItems<NumberKeys>;
template class FrequentItems<TextKeys>;

}  // namespace weir
