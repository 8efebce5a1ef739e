// A uniform sample of a stream: k records, each of n as likely as any other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/sample_item.h"
#include "weir/sketch/sample_size.h"
#include "weir/sketch/uniform_draw.h"

namespace weir {

/// A reservoir (Algorithm L, see UniformDraw). Fewer records than its capacity are all kept. The same seed,
/// stream and input give the same sample.
template <class T>
class UniformSample {
 public:
  using Item = Sampled<T>;

  /// Keeps at most `capacity` records; 0 keeps none. Samples that will be merged share the seed, and each
  /// draws a `stream` of its own, or is stirred: two that drew the same stream of equally long inputs keep
  /// the same positions of both, which leaves each record its chance but makes pairs of records depend on
  /// each other.
  explicit UniformSample(std::uint64_t capacity, Seed seed = kFixedSeed, std::uint64_t stream = 0)
      : draw_(capacity, seed, stream) {}

  /// Makes the draws to come depend on `word` too. Where nobody can number the streams, each part is told a
  /// hash of some of its records, the first ones before they are added: parts that differ there draw apart,
  /// and the same part still gives the same sample.
  void stir(std::uint64_t word) { draw_.stir(word); }

  /// Says whether the record was taken, perhaps in place of another.
  bool add(T value) {
    if (!draw_.wants()) {
      draw_.pass();
      return false;
    }
    take(std::move(value));
    return true;
  }
  /// As one after another, but touches only those that are taken.
  void add(std::span<const T> values) {
    for (;;) {
      const std::uint64_t gap = draw_.next_wanted() - draw_.seen();
      if (gap >= values.size()) break;
      draw_.skip(gap);
      take(values[static_cast<std::size_t>(gap)]);
      values = values.subspan(static_cast<std::size_t>(gap) + 1);
    }
    draw_.skip(values.size());
  }

  /// For readers that can pass over records without reading them: the number of the next record that will be
  /// taken (counted from 0), and how to say that `count` before it have passed.
  /// REQUIRES: count <= next_wanted() - seen().
  std::uint64_t next_wanted() const { return draw_.next_wanted(); }
  void skip(std::uint64_t count) { draw_.skip(count); }

  /// This sample's records followed by the other's: exactly as uniform as one sample of all.
  /// Different seeds or capacities are refused, and nothing is changed then.
  Status merge(const UniformSample& other) {
    if (Status can = draw_.check_merge(other.draw_); !can) return can;
    draw_.stir(other.draw_);
    const std::uint64_t all = draw_.seen() + other.draw_.seen();
    std::vector<Item> theirs = other.items_;
    for (Item& item : theirs) item.position += draw_.seen();
    if (all > draw_.capacity()) {
      const std::uint64_t from_here = draw_.draw_split(other.draw_);
      keep_any(items_, from_here);
      keep_any(theirs, draw_.capacity() - from_here);
    }
    items_.insert(items_.end(), std::make_move_iterator(theirs.begin()),
                  std::make_move_iterator(theirs.end()));
    draw_.absorb(other.draw_);
    return Done{};
  }

  std::uint64_t capacity() const { return draw_.capacity(); }
  /// How many records have come.
  std::uint64_t seen() const { return draw_.seen(); }
  Seed seed() const { return draw_.seed(); }
  /// Those kept, in no order that means anything.
  const std::vector<Item>& items() const { return items_; }
  /// Those kept, as they came.
  std::vector<Item> in_order() const {
    std::vector<Item> sorted = items_;
    std::sort(sorted.begin(), sorted.end(),
              [](const Item& a, const Item& b) { return a.position < b.position; });
    return sorted;
  }

  /// The share of all records for which `holds(value)`, with an interval that contains it with this
  /// probability (over the draws; Serfling's bound for samples without replacement). An empty sample knows
  /// nothing: 0 in [0, 1]. REQUIRES: 0 < confidence < 1.
  template <class Holds>
  Estimate share(Holds holds, double confidence = kDefaultConfidence) const {
    const auto count =
        std::count_if(items_.begin(), items_.end(), [&](const Item& item) { return holds(item.value); });
    return share_of_sample(static_cast<std::uint64_t>(count), items_.size(), draw_.seen(), confidence);
  }

  /// The bytes that a sample of this capacity takes at most, without what values keep elsewhere.
  static std::uint64_t memory(std::uint64_t capacity) {
    return sizeof(UniformSample) + capacity * sizeof(Item);
  }

  template <class Codec = SampleCodec<T>>
  std::string encode() const {
    ByteWriter out;
    draw_.encode(out);
    for (const Item& item : items_) {
      out.put_varint(item.position);
      Codec::write(out, item.value);
    }
    return write_frame(SketchKind::uniform_sample, out.bytes());
  }
  template <class Codec = SampleCodec<T>>
  static Result<UniformSample> decode(std::string_view bytes) {
    const Result<std::string_view> payload = read_frame(bytes, SketchKind::uniform_sample);
    if (!payload) return payload.error();
    ByteReader in(*payload, name_of(SketchKind::uniform_sample));
    UniformSample sample(UniformDraw::decode(in));
    if (in.fits(sample.draw_.kept(), 1 + Codec::kLeastBytes, "the records")) sample.read_items<Codec>(in);
    if (Status end = in.finish(); !end) return end.error();
    return sample;
  }

  /// Made of records that another system sampled from `seen`, as many as it would have kept of them.
  /// REQUIRES: values.size() == min(capacity, seen).
  static UniformSample adopt(std::uint64_t capacity, Seed seed, std::uint64_t stream, std::uint64_t seen,
                             std::vector<T> values) {
    UniformSample sample(capacity, seed, stream);
    for (T& value : values) sample.items_.push_back({sample.items_.size(), std::move(value)});
    sample.draw_.resume(seen);
    return sample;
  }

 private:
  explicit UniformSample(const UniformDraw& draw) : draw_(draw) {}

  void take(T value) {
    const std::uint64_t position = draw_.seen();
    const auto slot = static_cast<std::size_t>(draw_.take());
    if (slot == items_.size()) {
      items_.push_back({position, std::move(value)});
    } else {
      items_[slot] = {position, std::move(value)};
    }
  }

  /// Leaves `count` of them, any subset as likely.
  void keep_any(std::vector<Item>& items, std::uint64_t count) {
    for (std::uint64_t left = items.size(); left > count; --left) {
      std::swap(items[static_cast<std::size_t>(draw_.below(left))], items.back());
      items.pop_back();
    }
  }

  template <class Codec>
  void read_items(ByteReader& in) {
    items_.reserve(static_cast<std::size_t>(draw_.kept()));
    for (std::uint64_t i = draw_.kept(); i > 0 && in.ok(); --i) {
      const std::uint64_t position = in.get_varint("the position of a record");
      in.require(position < draw_.seen(), "a record comes after the last");
      items_.push_back({position, Codec::read(in)});
    }
  }

  UniformDraw draw_;
  std::vector<Item> items_;
};

}  // namespace weir
