// A weighted sample for sums: what a part of the stream weighs, whichever part is asked for later.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/datasketches_items.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/mean_bounds.h"
#include "weir/sketch/random.h"
#include "weir/sketch/sample_head.h"
#include "weir/sketch/seed.h"

namespace weir {

/// VarOpt (Cohen, Duffield, Kaplan, Lund and Thorup, "Efficient stream sampling for variance-optimal
/// estimation of subset sums", 2009). A record of weight w is kept with probability min(1, w / threshold);
/// the light ones that are kept then stand for the threshold each, so that all together weigh exactly what
/// came. No other scheme gives sums of less variance. WeightedSample instead draws without replacement, which
/// is what "choose k by weight" means elsewhere. Reads and writes DataSketches' var_opt_sketch (family 13).
template <class T>
class VarOptSample {
 public:
  /// The largest weight, so that sums stay finite.
  static constexpr double kMostWeight = 1e290;
  /// The most records that it can keep.
  static constexpr std::uint32_t kMostCapacity = 0x7FFFFFFE;

  /// See UniformSample for the seed and the stream. REQUIRES: 1 <= capacity <= kMostCapacity.
  explicit VarOptSample(std::uint32_t capacity, Seed seed = kFixedSeed, std::uint64_t stream = 0)
      : capacity_(capacity), seed_(seed), random_(static_cast<std::uint64_t>(seed), stream) {}

  /// See UniformSample.
  void stir(std::uint64_t word) { random_.stir(word); }

  /// A weight that is not a number above 0 and up to kMostWeight is counted as bad and skipped.
  void add(T value, double weight) {
    if (!(weight > 0 && weight <= kMostWeight)) {
      ++bad_;
      return;
    }
    ++seen_;
    insert(std::move(value), weight);
  }

  /// A sample of both: the other's records come with the weight that they stand for, after which each has
  /// been kept with the probability it would have in one sample of all. Different seeds or capacities are
  /// refused, and nothing is changed then.
  Status merge(const VarOptSample& other) {
    const std::string_view name = name_of(SketchKind::var_opt);
    if (Status same = check_same_seed(seed_, other.seed_, name); !same) return same;
    if (Status same = check_same(capacity_, other.capacity_, "the size", name); !same) return same;
    if (Status can = check_count(seen_, other.seen_, name); !can) return can;
    if (Status can = check_count(bad_, other.bad_, name); !can) return can;
    VarOptSample merged = *this;
    merged.random_.stir(other.random_);
    const double threshold = other.threshold();
    for (const Heavy& heavy : other.heavy_) merged.insert(heavy.value, heavy.weight);
    for (const T& value : other.light_) merged.insert(value, threshold);
    merged.seen_ += other.seen_;
    merged.bad_ += other.bad_;
    *this = std::move(merged);
    return Done{};
  }

  struct Item {
    const T* value;
    /// Its own while it is above the threshold, and the threshold otherwise.
    double weight;
  };
  /// Those kept, the heavy ones first.
  std::vector<Item> items() const {
    std::vector<Item> all;
    all.reserve(heavy_.size() + light_.size());
    for (const Heavy& heavy : heavy_) all.push_back({&heavy.value, heavy.weight});
    for (const T& value : light_) all.push_back({&value, threshold()});
    return all;
  }

  /// What the records weigh for which `holds(value)`. The interval contains it with this probability (over
  /// the draws; Chernoff's bound). REQUIRES: 0 < confidence < 1.
  template <class Holds>
  Estimate sum(Holds holds, double confidence = kDefaultConfidence) const {
    double exact = 0;
    for (const Heavy& heavy : heavy_) exact += holds(heavy.value) ? heavy.weight : 0;
    if (light_.empty()) return exact_estimate(exact);
    const auto count = static_cast<double>(std::count_if(light_.begin(), light_.end(), holds));
    const MeanBounds bounds = mean_bounds(count, confidence);
    return {.value = exact + count * threshold(),
            .low = exact + std::fmin(bounds.low * threshold(), light_weight_),
            .high = exact + std::fmin(bounds.high * threshold(), light_weight_),
            .confidence = confidence};
  }
  /// What all records weigh, exactly but for rounding.
  double total() const {
    double sum = light_weight_;
    for (const Heavy& heavy : heavy_) sum += heavy.weight;
    return sum;
  }

  std::uint32_t capacity() const { return capacity_; }
  /// How many records of good weight have come.
  std::uint64_t seen() const { return seen_; }
  std::uint64_t bad() const { return bad_; }
  Seed seed() const { return seed_; }
  /// Records below it are kept by chance; 0 while all are.
  double threshold() const { return light_.empty() ? 0 : light_weight_ / static_cast<double>(light_.size()); }
  /// The bytes that a sample of this capacity takes at most, without what values keep elsewhere.
  static std::uint64_t memory(std::uint32_t capacity) {
    return sizeof(VarOptSample) + (std::uint64_t{capacity} + 1) * (sizeof(Heavy) + sizeof(T));
  }

  /// DataSketches' image, which says neither seed nor bad records.
  std::string write_datasketches() const {
    ByteWriter out;
    write_image(out);
    return out.take();
  }
  /// Draws go on from `seed` and `stream`.
  static Result<VarOptSample> read_datasketches(std::string_view bytes, Seed seed = kFixedSeed,
                                                std::uint64_t stream = 0) {
    ByteReader in(bytes, "DataSketches VarOpt sample");
    VarOptSample sample(1, seed, stream);
    sample.read_image(in);
    if (Status end = in.finish(); !end) return end.error();
    return sample;
  }

  std::string encode() const {
    ByteWriter out;
    out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
    out.put_varint(bad_);
    for (const std::uint64_t word : random_.state()) out.put<std::uint64_t>(word);
    write_image(out);
    return write_frame(SketchKind::var_opt, out.bytes());
  }
  static Result<VarOptSample> decode(std::string_view bytes) {
    const Result<std::string_view> payload = read_frame(bytes, SketchKind::var_opt);
    if (!payload) return payload.error();
    ByteReader in(*payload, name_of(SketchKind::var_opt));
    VarOptSample sample(1, Seed{in.get<std::uint64_t>("the seed")});
    sample.bad_ = in.get_varint("the count of bad records");
    in.require(sample.bad_ <= kMostRecords, "it counts more than 2^63 bad records");
    Random::State state{};
    for (std::uint64_t& word : state) word = in.get<std::uint64_t>("the state of the generator");
    sample.random_ = Random(state);
    sample.read_image(in);
    if (Status end = in.finish(); !end) return end.error();
    return sample;
  }

 private:
  static constexpr std::uint8_t kFamily = 13;

  struct Heavy {
    double weight;
    T value;
  };
  /// The lightest at the front of the heap.
  static bool above(const Heavy& a, const Heavy& b) { return a.weight > b.weight; }

  void insert(T value, double weight) {
    if (light_.empty() && heavy_.size() < capacity_) {
      heavy_.push_back({weight, std::move(value)});
      return;
    }
    // The first that finds no room makes a heap of those that came before.
    if (light_.empty()) std::make_heap(heavy_.begin(), heavy_.end(), above);
    middle_.clear();
    double sum = light_weight_;
    if (light_.empty() || weight > threshold()) {
      heavy_.push_back({weight, std::move(value)});
      std::push_heap(heavy_.begin(), heavy_.end(), above);
    } else {
      middle_.push_back({weight, std::move(value)});
      sum += weight;
    }
    lower(sum);
    drop_one(sum);
    light_weight_ = sum;
  }

  /// Takes the heavy ones that are below the new threshold into the middle.
  void lower(double& sum) {
    while (!heavy_.empty()) {
      const std::size_t count = light_.size() + middle_.size();
      const double lightest = heavy_.front().weight;
      // With one candidate there is no threshold yet; the second is always taken.
      if (count > 1 && lightest * static_cast<double>(count - 1) >= sum) break;
      std::pop_heap(heavy_.begin(), heavy_.end(), above);
      sum += lightest;
      middle_.push_back(std::move(heavy_.back()));
      heavy_.pop_back();
    }
  }

  /// Of c candidates that weigh `sum`, c - 1 stay: each with probability weight / threshold, where
  /// threshold = sum / (c - 1), so that the chances to go add up to one.
  void drop_one(double sum) {
    const auto stay = static_cast<double>(light_.size() + middle_.size() - 1);
    double chance = random_.unit();
    for (std::size_t i = 0; i < middle_.size(); ++i) {
      chance -= 1 - middle_[i].weight * stay / sum;
      if (chance > 0 && !(light_.empty() && i + 1 == middle_.size())) continue;
      middle_[i] = std::move(middle_.back());
      middle_.pop_back();
      for (Heavy& kept : middle_) light_.push_back(std::move(kept.value));
      return;
    }
    const auto gone = static_cast<std::size_t>(random_.below(light_.size()));
    std::swap(light_[gone], light_.back());
    light_.pop_back();
    for (Heavy& kept : middle_) light_.push_back(std::move(kept.value));
  }

  void write_image(ByteWriter& out) const {
    DataSketchesHead head;
    head.longs = seen_ == 0 ? 1 : light_.empty() ? 3 : 4;
    head.growth = growth_;
    head.family = kFamily;
    head.flags = seen_ == 0 ? DataSketchesHead::kEmpty : 0;
    head.k = capacity_;
    head.write(out);
    if (seen_ == 0) return;
    out.put<std::uint64_t>(seen_);
    out.put<std::uint32_t>(static_cast<std::uint32_t>(heavy_.size()));
    out.put<std::uint32_t>(static_cast<std::uint32_t>(light_.size()));
    if (!light_.empty()) out.put<double>(light_weight_);
    for (const Heavy& heavy : heavy_) out.put<double>(heavy.weight);
    for (const Heavy& heavy : heavy_) DataSketchesItems<T>::write(out, heavy.value);
    for (const T& value : light_) DataSketchesItems<T>::write(out, value);
  }

  void read_image(ByteReader& in) {
    const DataSketchesHead head = DataSketchesHead::read(in, kFamily, DataSketchesHead::kEmpty);
    capacity_ = head.k;
    growth_ = head.growth;
    if ((head.flags & DataSketchesHead::kEmpty) != 0) {
      in.require(head.longs == 1, "the size of its head does not fit its flags");
      return;
    }
    seen_ = in.get<std::uint64_t>("the count of records");
    const std::uint64_t heavy = in.get<std::uint32_t>("the number of heavy items");
    const std::uint64_t light = in.get<std::uint32_t>("the number of light items");
    in.require(head.longs == (light == 0 ? 3 : 4), "the size of its head does not fit its items");
    in.require(seen_ > 0 && seen_ <= kMostRecords, "it counts no records, or more than 2^63");
    in.require(
        light == 0 ? heavy == seen_ && heavy <= capacity_ : heavy + light == capacity_ && seen_ > capacity_,
        "it keeps another number of records than it must");
    if (light > 0) light_weight_ = in.get<double>("the weight of the light items");
    in.require(light == 0 || is_weight(light_weight_), "a weight is no finite positive number");
    read_items(in, heavy, light);
  }

  void read_items(ByteReader& in, std::uint64_t heavy, std::uint64_t light) {
    const std::vector<double> weights = in.get_array<double>(heavy, "the weights");
    in.require(std::all_of(weights.begin(), weights.end(), is_weight),
               "a weight is no finite positive number");
    if (!in.fits(heavy + light, DataSketchesItems<T>::kLeastBytes, "the items")) return;
    for (const double weight : weights) heavy_.push_back({weight, DataSketchesItems<T>::read(in)});
    while (light_.size() < light && in.ok()) light_.push_back(DataSketchesItems<T>::read(in));
    const bool is_heap = light == 0 || std::is_heap(heavy_.begin(), heavy_.end(), above);
    if (!is_heap) std::make_heap(heavy_.begin(), heavy_.end(), above);
  }

  std::uint32_t capacity_;
  std::uint8_t growth_ = 3;
  Seed seed_;
  Random random_;
  std::uint64_t seen_ = 0;
  std::uint64_t bad_ = 0;
  std::vector<Heavy> heavy_;
  std::vector<T> light_;
  double light_weight_ = 0;
  /// Those between heavy and light while one is inserted; kept for its memory.
  std::vector<Heavy> middle_;
};

}  // namespace weir
