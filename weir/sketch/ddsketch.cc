#include "weir/sketch/ddsketch.h"

#include <algorithm>
#include <limits>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "DDSketch quantiles";
constexpr double kLeastAccuracy = 0.0001;
constexpr double kMostAccuracy = 0.5;
constexpr std::size_t kLeastBuckets = 16;

/// The cubic's slope by ln(mantissa) is never below this, at the mantissa 1: buckets are no wider than they
/// would be with a logarithm that is multiplied by it.
constexpr double kLeastSlope = 10.0 / 7;

}  // namespace

DDSketch::DDSketch(double accuracy, std::size_t max_buckets)
    : accuracy_(accuracy),
      // The bounds of a bucket are at most gamma = (1 + a) / (1 - a) apart.
      multiplier_(1 / (kLeastSlope * std::log((1 + accuracy) / (1 - accuracy)))),
      positive_(max_buckets),
      negative_(max_buckets) {}

Result<DDSketch> DDSketch::create(double relative_accuracy, std::size_t max_buckets) {
  if (!(relative_accuracy >= kLeastAccuracy && relative_accuracy <= kMostAccuracy)) {
    return error_of(
        kWhat, "the accuracy is " + std::to_string(relative_accuracy) + "; it must be from 0.0001 to 0.5");
  }
  if (max_buckets < kLeastBuckets || max_buckets > kMostBuckets) {
    return error_of(
        kWhat, "there may be " + std::to_string(max_buckets) + " buckets; it must be from 16 to 1048576");
  }
  return DDSketch(relative_accuracy, max_buckets);
}

std::size_t DDSketch::suggest_buckets(double relative_accuracy, double least, double greatest) {
  const DDSketch sketch(relative_accuracy, kLeastBuckets);
  const auto span = sketch.bucket_of(greatest) - sketch.bucket_of(least) + 1;
  return std::max(kLeastBuckets, static_cast<std::size_t>(span));
}

std::size_t DDSketch::memory_bytes(std::size_t max_buckets) {
  // Of both signs, and of one a second time while it grows.
  return sizeof(DDSketch) + 3 * max_buckets * sizeof(std::uint64_t);
}

void DDSketch::add(std::span<const double> values) {
  for (const double value : values) add(value);
}

Status DDSketch::merge(const DDSketch& other) {
  if (accuracy_ != other.accuracy_) {
    return error_of(kWhat, "can't merge: the accuracy is " + std::to_string(accuracy_) + " here and " +
                               std::to_string(other.accuracy_) + " there");
  }
  if (max_buckets() != other.max_buckets()) {
    return error_of(kWhat, "can't merge: there may be " + std::to_string(max_buckets()) +
                               " buckets here and " + std::to_string(other.max_buckets()) + " there");
  }
  if (Status counts = check_counts(count_, other.count_, kWhat); !counts) return counts;
  bad_ = saturating_sum(bad_, other.bad_);
  if (other.count_ == 0) return Done{};
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  zeros_ += other.zeros_;
  positive_.merge(other.positive_);
  negative_.merge(other.negative_);
  return Done{};
}

/// The inverse of log_like: by halving, for the cubic has no short one and this is not called often.
double DDSketch::lower_bound(std::int32_t bucket) const {
  const double wanted = bucket / multiplier_;
  const double exponent = std::floor(wanted);
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double s = (low + high) / 2;
    (((kA * s + kB) * s + kC) * s < wanted - exponent ? low : high) = s;
  }
  return std::min(std::ldexp(1 + high, static_cast<int>(exponent)), std::numeric_limits<double>::max());
}

/// Of positive values, those of the other sign being turned over.
QuantileEstimate DDSketch::of_bucket(const BucketCounts& counts, std::int32_t bucket, bool joined) const {
  // What may have been rounded when a value was put into its bucket.
  constexpr double kRounding = 1e-8;
  const double low = lower_bound(bucket);
  const double high = lower_bound(bucket + 1);
  // Between the bounds so that the relative error to either is the same.
  const double value = 2 / (1 / low + 1 / high);
  const bool lowest = joined && bucket == counts.used().first;
  return {value, lowest ? 0 : low * (1 - kRounding), high * (1 + kRounding)};
}

QuantileEstimate DDSketch::at_rank(std::uint64_t rank) const {
  const BucketCounts::Range negative = negative_.used();
  // From the greatest magnitude on.
  for (std::size_t i = negative.counts.size(); i-- > 0;) {
    if (rank <= negative.counts[i]) {
      const QuantileEstimate turned =
          of_bucket(negative_, negative.first + static_cast<std::int32_t>(i), negative_.has_joined());
      return {-turned.value, -turned.high, -turned.low};
    }
    rank -= negative.counts[i];
  }
  if (rank <= zeros_) return {0, -kTiny, kTiny};
  rank -= zeros_;
  const BucketCounts::Range positive = positive_.used();
  std::size_t i = 0;
  while (i + 1 < positive.counts.size() && rank > positive.counts[i]) rank -= positive.counts[i++];
  return of_bucket(positive_, positive.first + static_cast<std::int32_t>(i), positive_.has_joined());
}

std::optional<QuantileEstimate> DDSketch::quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const std::uint64_t rank = nearest_rank(q, count_);
  if (rank == 1) return QuantileEstimate{min_, min_, min_};
  if (rank == count_) return QuantileEstimate{max_, max_, max_};
  QuantileEstimate answer = at_rank(rank);
  answer.value = std::clamp(answer.value, min_, max_);
  answer.low = std::clamp(answer.low, min_, answer.value);
  answer.high = std::clamp(answer.high, answer.value, max_);
  return answer;
}

// Payload: accuracy f64, most buckets u32, count u64, bad u64, zeros u64, min f64, max f64, then for positive
// and for negative values: joined u8, buckets as a varint and, where there are any, the number of the first
// i32 and their counts as varints. The first and the last of them are not empty.

namespace {

void put_buckets(ByteWriter& out, const BucketCounts& buckets) {
  const BucketCounts::Range used = buckets.used();
  out.put<std::uint8_t>(buckets.has_joined() ? 1 : 0);
  out.put_varint(used.counts.size());
  if (used.counts.empty()) return;
  out.put<std::int32_t>(used.first);
  for (const std::uint64_t count : used.counts) out.put_varint(count);
}

/// What the counts add up to; they are at most `most`.
std::uint64_t get_buckets(ByteReader& in, BucketCounts& buckets, std::uint64_t most) {
  // Of accuracy 0.0001 the greatest double is in bucket 3,600,000.
  constexpr std::int32_t kFurthest = 1 << 23;
  const auto joined = in.get<std::uint8_t>("whether buckets are joined");
  in.require(joined <= 1, "a mark that is neither 0 nor 1");
  const std::uint64_t size = in.get_count(1, "the number of buckets");
  in.require(size <= buckets.most(), "more buckets than there may be");
  in.require(size > 0 || joined == 0, "none of its buckets are joined");
  if (!in.ok() || size == 0) return 0;
  const auto first = in.get<std::int32_t>("the first bucket");
  in.require(first > -kFurthest && first < kFurthest, "bucket " + std::to_string(first) + " can't be");
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < size && in.ok(); ++i) {
    const std::uint64_t count = in.get_varint("the count of a bucket");
    in.require(count > 0 || (i > 0 && i + 1 < size), "its first or last bucket is empty");
    if (!in.require(count <= most - total, "its buckets do not fit its count")) return 0;
    total += count;
    if (count > 0) buckets.add(first + static_cast<std::int32_t>(i), count);
  }
  if (joined == 1) buckets.set_joined();
  return total;
}

}  // namespace

std::string DDSketch::encode() const {
  ByteWriter out;
  out.put<double>(accuracy_);
  out.put<std::uint32_t>(static_cast<std::uint32_t>(max_buckets()));
  out.put<std::uint64_t>(count_);
  out.put<std::uint64_t>(bad_);
  out.put<std::uint64_t>(zeros_);
  out.put<double>(min_);
  out.put<double>(max_);
  put_buckets(out, positive_);
  put_buckets(out, negative_);
  return write_frame(SketchKind::ddsketch, out.bytes());
}

Result<DDSketch> DDSketch::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::ddsketch);
  if (!payload) return payload.error();
  ByteReader in(*payload, kWhat);
  const auto accuracy = in.get<double>("the accuracy");
  const auto most = in.get<std::uint32_t>("the most buckets");
  if (!in.ok()) return in.error();
  Result<DDSketch> made = create(accuracy, most);
  if (!made) return made;
  made->count_ = in.get<std::uint64_t>("the count");
  made->bad_ = in.get<std::uint64_t>("the count of bad ones");
  made->zeros_ = in.get<std::uint64_t>("the count of zeros");
  made->min_ = in.get<double>("the least");
  made->max_ = in.get<double>("the greatest");
  in.require(std::isfinite(made->min_) && std::isfinite(made->max_) && made->min_ <= made->max_,
             "its least and greatest are not in order");
  in.require(made->count_ <= kMostValues, "it has counted more than 2^62 values");
  in.require(made->count_ > 0 || (made->min_ == 0 && made->max_ == 0), "it has a least of nothing");
  in.require(made->zeros_ <= made->count_, "it has more zeros than values");
  if (!in.ok()) return in.error();
  std::uint64_t rest = made->count_ - made->zeros_;
  rest -= get_buckets(in, made->positive_, rest);
  if (in.ok()) rest -= get_buckets(in, made->negative_, rest);
  in.require(rest == 0, "its buckets do not add up to its count");
  if (const Status end = in.finish(); !end) return end.error();
  return made;
}

}  // namespace weir
