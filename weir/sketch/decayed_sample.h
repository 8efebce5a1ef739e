// A sample of a stream that forgets: the newer the record, the likelier.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/result.h"
#include "weir/base/time.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/keyed_items.h"
#include "weir/sketch/sample_head.h"

namespace weir {

/// A weighted sample without replacement in which the weight of a record halves with each half-life of its
/// age (forward decay: Cormode and others, "Forward decay: a practical time decay model for streaming
/// systems", 2009). Keys are logarithms, so that no up-time is too long. Late records are taken as old as
/// they are.
template <class T>
class DecayedSample {
 public:
  using Item = typename KeyedItems<T>::Item;

  /// Keeps at most `capacity` records; see WeightedSample for the seed and the stream.
  /// REQUIRES: half_life > 0.
  DecayedSample(std::uint64_t capacity, Nanos half_life, Seed seed = kFixedSeed, std::uint64_t stream = 0)
      : head_(capacity, seed, stream),
        kept_(capacity),
        half_life_(half_life),
        rate_(std::numbers::ln2 / static_cast<double>(half_life)) {
    note_threshold();
  }

  /// See UniformSample.
  void stir(std::uint64_t word) { head_.draw.stir(word); }

  /// Says whether the record was taken, perhaps in place of another. A weight that is not a finite number
  /// above 0 is counted as bad and skipped.
  bool add(T value, Nanos time, double weight = 1) {
    if (!is_weight(weight)) {
      ++head_.bad;
      return false;
    }
    if (head_.seen == 0) origin_ = time;
    const std::uint64_t position = head_.seen++;
    if (!filling_ && !head_.draw.lands(weight * factor(time))) return false;
    return take(std::move(value), time, weight, position);
  }

  /// Both samples' records, each as old as it is: the smallest keys of both. Different seeds, capacities or
  /// half-lives are refused, and nothing is changed then.
  Status merge(const DecayedSample& other) {
    constexpr SketchKind kKind = SketchKind::decayed_sample;
    if (Status can = head_.check_merge(other.head_, name_of(kKind)); !can) return can;
    Status same = check_same(static_cast<std::uint64_t>(half_life_),
                             static_cast<std::uint64_t>(other.half_life_), "the half-life", name_of(kKind));
    if (!same) return same;
    if (head_.seen == 0) origin_ = other.origin_;
    kept_.merge(other.kept_, head_.seen, -growth(other.origin_));
    head_.absorb(other.head_);
    note_threshold();
    return Done{};
  }

  std::uint64_t capacity() const { return head_.capacity; }
  Nanos half_life() const { return half_life_; }
  /// How many records of good weight have come.
  std::uint64_t seen() const { return head_.seen; }
  std::uint64_t bad() const { return head_.bad; }
  Seed seed() const { return head_.seed; }
  const std::vector<Item>& items() const { return kept_.items(); }
  /// Those kept, as they came.
  std::vector<Item> in_order() const { return kept_.in_order(); }

  /// The bytes that a sample of this capacity takes at most, without what values keep elsewhere.
  static std::uint64_t memory(std::uint64_t capacity) {
    return sizeof(DecayedSample) + capacity * sizeof(Item);
  }

  template <class Codec = SampleCodec<T>>
  std::string encode() const {
    ByteWriter out;
    head_.encode(out);
    out.put<std::int64_t>(half_life_);
    out.put<std::int64_t>(origin_);
    kept_.template encode<Codec>(out);
    return write_frame(SketchKind::decayed_sample, out.bytes());
  }
  template <class Codec = SampleCodec<T>>
  static Result<DecayedSample> decode(std::string_view bytes) {
    const Result<std::string_view> payload = read_frame(bytes, SketchKind::decayed_sample);
    if (!payload) return payload.error();
    ByteReader in(*payload, name_of(SketchKind::decayed_sample));
    const SampleHead head = SampleHead::decode(in);
    const auto half_life = in.get<std::int64_t>("the half-life");
    in.require(half_life > 0, "the half-life is not above 0");
    DecayedSample sample(head.capacity, half_life, head.seed);
    sample.head_ = head;
    sample.origin_ = in.get<std::int64_t>("the time of the first record");
    sample.kept_ = KeyedItems<T>::template decode<Codec>(in, head.capacity, head.seen);
    if (Status end = in.finish(); !end) return end.error();
    sample.note_threshold();
    return sample;
  }

 private:
  /// ln of how much more a record of this time weighs than one of the first's.
  double growth(Nanos time) const {
    // As a difference of doubles: instants far apart don't fit one of 64 bits, and those near each other are
    // subtracted exactly.
    Nanos age = 0;
    const double exact = __builtin_sub_overflow(time, origin_, &age)
                             ? static_cast<double>(time) - static_cast<double>(origin_)
                             : static_cast<double>(age);
    return rate_ * exact;
  }
  /// What a weight of 1 at this time is in units of the threshold. Near the time it was last computed for,
  /// four terms of the series are as exact as a double, and a third of the price.
  double factor(Nanos time) {
    const double x = rate_ * static_cast<double>(saturating_sub(time, factor_time_));
    if (factor_known_ && std::fabs(x) < 1.0 / 1024)
      return factor_ * (1 + x * (1 + x * (0.5 + x * (1.0 / 6))));
    factor_ = std::exp(growth(time) + kept_.threshold());
    factor_time_ = time;
    factor_known_ = true;
    return factor_;
  }
  void note_threshold() {
    filling_ = !kept_.full();
    factor_known_ = false;
  }

  bool take(T value, Nanos time, double weight, std::uint64_t position) {
    if (head_.capacity == 0) return false;
    const double log_weight = std::log(weight) + growth(time);
    Item item;
    item.position = position;
    item.value = std::move(value);
    item.weight = weight;
    item.key = filling_ ? head_.draw.key(log_weight)
                        : head_.draw.key_below(kept_.threshold(), log_weight + kept_.threshold());
    kept_.put(std::move(item));
    note_threshold();
    return true;
  }

  SampleHead head_;
  KeyedItems<T> kept_;
  Nanos half_life_;
  /// The growth of a nanosecond.
  double rate_;
  Nanos origin_ = 0;
  bool filling_ = true;
  bool factor_known_ = false;
  Nanos factor_time_ = 0;
  double factor_ = 0;
};

}  // namespace weir
