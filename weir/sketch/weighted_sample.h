// A weighted sample without replacement: k records, the heavier the likelier.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/keyed_items.h"
#include "weir/sketch/sample_head.h"

namespace weir {

/// A-ExpJ (see JumpDraw). The sample is what this would give: draw one record with probability in proportion
/// to its weight, take it out, and again until there are k. The same seed, stream and input give the same
/// sample.
template <class T>
class WeightedSample {
 public:
  using Item = typename KeyedItems<T>::Item;

  /// Keeps at most `capacity` records; 0 keeps none. Samples that will be merged share the seed, and each
  /// draws a `stream` of its own (see UniformSample).
  explicit WeightedSample(std::uint64_t capacity, Seed seed = kFixedSeed, std::uint64_t stream = 0)
      : head_(capacity, seed, stream), kept_(capacity) {
    note_threshold();
  }

  /// See UniformSample.
  void stir(std::uint64_t word) { head_.draw.stir(word); }

  /// Says whether the record was taken, perhaps in place of another. A weight that is not a finite number
  /// above 0 is counted as bad and skipped.
  bool add(T value, double weight) {
    if (!is_weight(weight)) {
      ++head_.bad;
      return false;
    }
    const std::uint64_t position = head_.seen++;
    if (!filling_ && !head_.draw.lands(hazard(weight))) return false;
    return take(std::move(value), weight, position);
  }
  /// As one after another. REQUIRES: as many weights as values.
  void add(std::span<const T> values, std::span<const double> weights) {
    for (std::size_t i = 0; i < values.size(); ++i) add(values[i], weights[i]);
  }

  /// This sample's records followed by the other's: the smallest keys of both, which is exactly one sample of
  /// all. Different seeds or capacities are refused, and nothing is changed then.
  Status merge(const WeightedSample& other) {
    if (Status can = head_.check_merge(other.head_, name_of(SketchKind::weighted_sample)); !can) return can;
    kept_.merge(other.kept_, head_.seen, 0);
    head_.absorb(other.head_);
    note_threshold();
    return Done{};
  }

  std::uint64_t capacity() const { return head_.capacity; }
  /// How many records of good weight have come.
  std::uint64_t seen() const { return head_.seen; }
  std::uint64_t bad() const { return head_.bad; }
  Seed seed() const { return head_.seed; }
  const std::vector<Item>& items() const { return kept_.items(); }
  /// Those kept, as they came.
  std::vector<Item> in_order() const { return kept_.in_order(); }

  /// The bytes that a sample of this capacity takes at most, without what values keep elsewhere.
  static std::uint64_t memory(std::uint64_t capacity) {
    return sizeof(WeightedSample) + capacity * sizeof(Item);
  }

  template <class Codec = SampleCodec<T>>
  std::string encode() const {
    ByteWriter out;
    head_.encode(out);
    kept_.template encode<Codec>(out);
    return write_frame(SketchKind::weighted_sample, out.bytes());
  }
  template <class Codec = SampleCodec<T>>
  static Result<WeightedSample> decode(std::string_view bytes) {
    const Result<std::string_view> payload = read_frame(bytes, SketchKind::weighted_sample);
    if (!payload) return payload.error();
    ByteReader in(*payload, name_of(SketchKind::weighted_sample));
    const SampleHead head = SampleHead::decode(in);
    WeightedSample sample(head, KeyedItems<T>::template decode<Codec>(in, head.capacity, head.seen));
    if (Status end = in.finish(); !end) return end.error();
    return sample;
  }

 private:
  WeightedSample(const SampleHead& head, KeyedItems<T> kept) : head_(head), kept_(std::move(kept)) {
    note_threshold();
  }

  void note_threshold() {
    filling_ = !kept_.full();
    threshold_ = std::exp(kept_.threshold());
  }
  double log_hazard(double weight) const { return std::log(weight) + kept_.threshold(); }
  /// A product, which takes a logarithm only where the threshold is no ordinary number.
  double hazard(double weight) const {
    if (threshold_ > 1e-290 && threshold_ < 1e290) return weight * threshold_;
    return std::exp(log_hazard(weight));
  }

  bool take(T value, double weight, std::uint64_t position) {
    if (head_.capacity == 0) return false;
    Item item;
    item.position = position;
    item.value = std::move(value);
    item.weight = weight;
    item.key = filling_ ? head_.draw.key(std::log(weight))
                        : head_.draw.key_below(kept_.threshold(), log_hazard(weight));
    kept_.put(std::move(item));
    note_threshold();
    return true;
  }

  SampleHead head_;
  KeyedItems<T> kept_;
  bool filling_ = true;
  double threshold_ = 0;
};

}  // namespace weir
