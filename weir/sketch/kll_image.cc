// The image of DataSketches' KLL sketch, family 15.
//
//   0 preamble ints (2 empty or one value, 5)   1 version (1; 2 for one value)   2 family 15
//   3 flags (1 empty, 2 level 0 is in order, 4 one value)   4 k u16   6 least width 8   7 zero
//   one value: the value.   Else: 8 count u64   16 least k u16   18 levels u8   19 zero
//   20 start of each level u32, in an array of all that the levels can hold, filled from behind
//   then min, max and the values, level 0 first.
#include <algorithm>
#include <cmath>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/kll.h"
#include "weir/sketch/kll_levels.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "KLL sketch of DataSketches";
constexpr std::uint8_t kFamily = 15;
constexpr unsigned kEmptyFlag = 1;
constexpr unsigned kSingleFlag = 4;

}  // namespace

template <class Real>
std::string Kll<Real>::to_datasketches() const {
  const bool small = count_ <= 1;
  ByteWriter out;
  out.put<std::uint8_t>(small ? 2 : 5);
  out.put<std::uint8_t>(count_ == 1 ? 2 : 1);
  out.put<std::uint8_t>(kFamily);
  out.put<std::uint8_t>(static_cast<std::uint8_t>(count_ == 0 ? kEmptyFlag : count_ == 1 ? kSingleFlag : 0U));
  out.put<std::uint16_t>(static_cast<std::uint16_t>(k_));
  out.put<std::uint8_t>(kll_detail::kLeastWidth);
  out.put<std::uint8_t>(0);
  if (count_ == 1) out.put<Real>(min_);
  if (small) return out.take();
  std::vector<std::vector<Real>> levels = levels_with_sample();
  // DataSketches fills level 0 from behind.
  std::reverse(levels[0].begin(), levels[0].end());
  out.put<std::uint64_t>(count_);
  out.put<std::uint16_t>(static_cast<std::uint16_t>(least_k_));
  out.put<std::uint8_t>(static_cast<std::uint8_t>(levels.size()));
  out.put<std::uint8_t>(0);
  std::size_t start = kll_detail::total_capacity(k_, levels.size());
  for (const std::vector<Real>& level : levels) start -= level.size();
  for (const std::vector<Real>& level : levels) {
    out.put<std::uint32_t>(static_cast<std::uint32_t>(start));
    start += level.size();
  }
  out.put<Real>(min_);
  out.put<Real>(max_);
  for (const std::vector<Real>& level : levels) out.put_array<Real>(level);
  return out.take();
}

/// Reads an image, of bytes that are anything at all.
template <class Real>
class KllReader {
 public:
  KllReader(std::string_view bytes, Seed seed) : in_(bytes, kWhat), seed_(seed) {}

  Result<Kll<Real>> read() {
    const unsigned k = read_head();
    if (!in_.ok()) return in_.error();
    Result<Kll<Real>> made = Kll<Real>::create(k, seed_);
    if (!made) return made;
    if ((flags_ & kEmptyFlag) == 0) {
      if (single()) {
        read_single(*made);
      } else {
        read_levels(*made);
      }
    }
    if (const Status end = in_.finish(); !end) return end.error();
    return made;
  }

 private:
  bool single() const { return (flags_ & kSingleFlag) != 0; }

  unsigned read_head() {
    const auto ints = in_.get<std::uint8_t>("the preamble");
    const auto version = in_.get<std::uint8_t>("the version");
    in_.require(in_.get<std::uint8_t>("the family") == kFamily, "the family is not 15 (KLL)");
    flags_ = in_.get<std::uint8_t>("the flags");
    const unsigned k = in_.get<std::uint16_t>("k");
    in_.require(in_.get<std::uint8_t>("the least width") == kll_detail::kLeastWidth,
                "the least width is not 8");
    in_.get<std::uint8_t>("the zero");
    const bool small = (flags_ & (kEmptyFlag | kSingleFlag)) != 0;
    in_.require(ints == (small ? 2 : 5), "the preamble does not fit the flags");
    in_.require(version == (single() ? 2 : 1), "the serial version is not 1, or 2 for one value");
    in_.require((flags_ & kEmptyFlag) == 0 || !single(), "it is empty and has one value");
    return k;
  }

  void read_single(Kll<Real>& kll) {
    const auto value = in_.get<Real>("the value");
    if (in_.require(std::isfinite(value), "its value is no number")) kll.add(value);
  }

  void read_levels(Kll<Real>& kll) {
    const auto count = in_.get<std::uint64_t>("the count");
    const auto least_k = in_.get<std::uint16_t>("the least k");
    const std::size_t levels = in_.get<std::uint8_t>("the number of levels");
    in_.get<std::uint8_t>("the zero");
    in_.require(least_k >= kll.kMinK && least_k <= kll.k_, "the least k is not from 8 to k");
    in_.require(levels >= 1 && levels <= kll_detail::kMostLevels, "there are not from 1 to 61 levels");
    const auto starts = in_.get_array<std::uint32_t>(levels, "the starts of the levels");
    const auto min = in_.get<Real>("the least");
    const auto max = in_.get<Real>("the greatest");
    in_.require(std::isfinite(min) && std::isfinite(max), "the least or the greatest is no number");
    if (!in_.ok()) return;
    kll.set_levels(levels);
    std::uint64_t end = kll_detail::total_capacity(kll.k_, levels);
    std::uint64_t total = 0;
    for (std::size_t level = 0; level < levels; ++level) {
      const std::uint64_t stop = level + 1 < levels ? starts[level + 1] : end;
      in_.require(starts[level] <= stop && stop <= end, "its levels overlap");
      if (!in_.ok()) return;
      total += read_level(kll, level, stop - starts[level], kMostValues - total, min, max);
    }
    in_.require(total == count && count >= 1, "its weights do not add up to its count");
    if (!in_.ok()) return;
    std::reverse(kll.levels_[0].begin(), kll.levels_[0].end());
    kll.count_ = count;
    kll.least_k_ = least_k;
    kll.min_ = min == 0 ? Real{0} : min;
    kll.max_ = max == 0 ? Real{0} : max;
    kll.random_ = Random(static_cast<std::uint64_t>(seed_), count);
    kll.target_ = kll.lg_sample_ == 0 ? 0 : kll.random_.next() >> (64 - kll.lg_sample_);
  }

  /// What the level weighs, at most `most`.
  std::uint64_t read_level(Kll<Real>& kll, std::size_t level, std::uint64_t size, std::uint64_t most,
                           Real min, Real max) {
    in_.require(size <= most >> level, "a level weighs too much");
    std::vector<Real>& values = kll.levels_[level] = in_.get_array<Real>(size, "the values");
    for (const Real value : values) {
      if (!in_.require(value >= min && value <= max, "a value is not from the least to the greatest"))
        return 0;
    }
    in_.require(level == 0 || std::is_sorted(values.begin(), values.end()), "a level is not in order");
    kll.held_ += values.size();
    return in_.ok() ? size << level : 0;
  }

  ByteReader in_;
  Seed seed_;
  unsigned flags_ = 0;
};

template <class Real>
Result<Kll<Real>> Kll<Real>::from_datasketches(std::string_view bytes, Seed seed) {
  return KllReader<Real>(bytes, seed).read();
}

// Payload: bytes of a value u8, seed u64, bad u64, then the image as above.

template <class Real>
std::string Kll<Real>::encode() const {
  ByteWriter out;
  out.put<std::uint8_t>(sizeof(Real));
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put<std::uint64_t>(bad_);
  out.put_bytes(to_datasketches());
  return write_frame(SketchKind::kll, out.bytes());
}

template <class Real>
Result<Kll<Real>> Kll<Real>::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::kll);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::kll));
  const auto width = in.get<std::uint8_t>("the width of a value");
  const auto seed = in.get<std::uint64_t>("the seed");
  const auto bad = in.get<std::uint64_t>("the count of bad ones");
  in.require(width == sizeof(Real),
             "its values have " + std::to_string(width) + " bytes, not " + std::to_string(sizeof(Real)));
  if (!in.ok()) return in.error();
  Result<Kll> read = from_datasketches(in.take(in.left(), "the image"), Seed{seed});
  if (read) read->bad_ = bad;
  return read;
}

template std::string Kll<float>::to_datasketches() const;
template std::string Kll<double>::to_datasketches() const;
template Result<Kll<float>> Kll<float>::from_datasketches(std::string_view, Seed);
template Result<Kll<double>> Kll<double>::from_datasketches(std::string_view, Seed);
template std::string Kll<float>::encode() const;
template std::string Kll<double>::encode() const;
template Result<Kll<float>> Kll<float>::decode(std::string_view);
template Result<Kll<double>> Kll<double>::decode(std::string_view);

}  // namespace weir
