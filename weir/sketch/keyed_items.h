// The items of a weighted sample: those with the smallest keys.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "weir/sketch/bytes.h"
#include "weir/sketch/sample_item.h"

namespace weir {

/// A heap of at most `capacity` items with the largest key at its front. Equal keys are told apart by
/// position.
template <class T>
class KeyedItems {
 public:
  struct Item : Sampled<T> {
    double weight = 1;
    /// See JumpDraw.
    double key = 0;
  };

  explicit KeyedItems(std::uint64_t capacity) : capacity_(capacity) {}

  std::uint64_t capacity() const { return capacity_; }
  bool full() const { return items_.size() >= capacity_; }
  const std::vector<Item>& items() const { return items_; }
  /// Keys must be below it; infinity while there is room.
  double threshold() const {
    if (!full()) return std::numeric_limits<double>::infinity();
    return items_.empty() ? -std::numeric_limits<double>::infinity() : items_.front().key;
  }

  /// Adds an item, and drops the one with the largest key when there is no room. REQUIRES: capacity() > 0.
  void put(Item item) {
    if (full()) {
      std::pop_heap(items_.begin(), items_.end(), before);
      items_.back() = std::move(item);
    } else {
      items_.push_back(std::move(item));
    }
    std::push_heap(items_.begin(), items_.end(), before);
  }

  /// Keeps the smallest keys of both, the other's moved by this much in position and key.
  void merge(const KeyedItems& other, std::uint64_t position_shift, double key_shift) {
    std::vector<Item> theirs = other.items_;
    for (Item& item : theirs) {
      item.position += position_shift;
      item.key += key_shift;
      const bool belongs = !full() || (capacity_ > 0 && before(item, items_.front()));
      if (belongs) put(std::move(item));
    }
  }

  std::vector<Item> in_order() const {
    std::vector<Item> sorted = items_;
    std::sort(sorted.begin(), sorted.end(),
              [](const Item& a, const Item& b) { return a.position < b.position; });
    return sorted;
  }

  template <class Codec>
  void encode(ByteWriter& out) const {
    out.put_varint(items_.size());
    for (const Item& item : in_order()) {
      out.put_varint(item.position);
      out.put<double>(item.weight);
      out.put<double>(item.key);
      Codec::write(out, item.value);
    }
  }
  /// As many as min(capacity, seen). Notes what is wrong in the reader.
  template <class Codec>
  static KeyedItems decode(ByteReader& in, std::uint64_t capacity, std::uint64_t seen) {
    KeyedItems kept(capacity);
    const std::uint64_t count = in.get_count(17 + Codec::kLeastBytes, "the records");
    in.require(count == std::min(capacity, seen), "it keeps another number of records than it must");
    std::uint64_t least_position = 0;
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
      Item item;
      item.position = in.get_varint("the position of a record");
      item.weight = in.get<double>("the weight of a record");
      item.key = in.get<double>("the key of a record");
      item.value = Codec::read(in);
      in.require(item.position < seen, "a record comes after the last");
      in.require(item.position >= least_position, "its records are not in order");
      least_position = item.position + 1;
      in.require(item.weight > 0 && std::isfinite(item.weight), "a weight is no finite positive number");
      in.require(std::isfinite(item.key), "a key is not finite");
      if (in.ok()) kept.put(std::move(item));
    }
    return kept;
  }

 private:
  static bool before(const Item& a, const Item& b) {
    return a.key < b.key || (a.key == b.key && a.position < b.position);
  }

  std::uint64_t capacity_;
  std::vector<Item> items_;
};

}  // namespace weir
