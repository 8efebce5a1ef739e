// The image of DataSketches' t-digest of doubles, family 20, serial version 1.
//
//   0 preamble longs (1 empty or one value, 2)   1 version 1   2 family 20   3 k u16
//   5 flags (1 empty, 2 one value, 4 backwards)   6 zero u16
//   one value: the value f64.   Else: 8 clusters u32   12 buffered u32   16 min f64   24 max f64
//   then mean f64 and weight u64 of each cluster, and the buffered values f64.
#include <algorithm>
#include <cmath>

#include "weir/sketch/bytes.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/tdigest.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "t-digest of DataSketches";
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFamily = 20;
constexpr unsigned kEmptyFlag = 1;
constexpr unsigned kSingleFlag = 2;
constexpr unsigned kBackwardsFlag = 4;

}  // namespace

std::string TDigest::to_datasketches() const {
  const TDigest ready = compressed();
  const bool empty = ready.weight_ == 0;
  const bool single = ready.weight_ == 1;
  ByteWriter out;
  out.put<std::uint8_t>(empty || single ? 1 : 2);
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(kFamily);
  out.put<std::uint16_t>(static_cast<std::uint16_t>(k_));
  out.put<std::uint8_t>(static_cast<std::uint8_t>((empty ? kEmptyFlag : 0U) | (single ? kSingleFlag : 0U) |
                                                  (ready.backwards_ ? kBackwardsFlag : 0U)));
  out.put<std::uint16_t>(0);
  if (single) out.put<double>(min_);
  if (empty || single) return out.take();
  out.put<std::uint32_t>(static_cast<std::uint32_t>(ready.clusters_.size()));
  out.put<std::uint32_t>(0);
  out.put<double>(min_);
  out.put<double>(max_);
  for (const Cluster& cluster : ready.clusters_) {
    out.put<double>(cluster.mean);
    out.put<std::uint64_t>(cluster.weight);
  }
  return out.take();
}

Result<TDigest> TDigest::from_datasketches(std::string_view bytes) {
  ByteReader in(bytes, kWhat);
  const auto longs = in.get<std::uint8_t>("the preamble");
  in.require(in.get<std::uint8_t>("the version") == kVersion, "the serial version is not 1");
  in.require(in.get<std::uint8_t>("the family") == kFamily, "the family is not 20 (t-digest)");
  const auto k = in.get<std::uint16_t>("k");
  const unsigned flags = in.get<std::uint8_t>("the flags");
  in.get<std::uint16_t>("the zeros");
  const bool empty = (flags & kEmptyFlag) != 0;
  const bool single = (flags & kSingleFlag) != 0;
  in.require(!empty || !single, "it is empty and has one value");
  in.require(longs == (empty || single ? 1 : 2), "the preamble does not fit the flags");
  if (!in.ok()) return in.error();
  Result<TDigest> made = create(k);
  if (!made) return made;
  if (single) {
    const auto value = in.get<double>("the value");
    if (in.require(std::isfinite(value), "its value is no number")) made->add(value);
    made->compress();
  } else if (!empty) {
    if (const Status read = made->read_clusters(in); !read) return read.error();
  }
  made->backwards_ = (flags & kBackwardsFlag) != 0;
  if (const Status end = in.finish(); !end) return end.error();
  return made;
}

Status TDigest::read_clusters(ByteReader& in) {
  const auto clusters = in.get<std::uint32_t>("the number of clusters");
  const auto buffered = in.get<std::uint32_t>("the number of buffered values");
  min_ = canonical(in.get<double>("the least"));
  max_ = canonical(in.get<double>("the greatest"));
  in.require(std::isfinite(min_) && std::isfinite(max_) && min_ <= max_,
             "its least and greatest are not in order");
  in.require(clusters <= buffer_capacity_ && buffered <= buffer_capacity_,
             "more clusters or values than are kept");
  in.require(clusters > 0 || buffered > 0, "it has neither clusters nor values");
  in.fits(clusters, sizeof(double) + sizeof(std::uint64_t), "the clusters");
  double before = min_;
  for (std::uint32_t i = 0; i < clusters && in.ok(); ++i) {
    const auto mean = in.get<double>("a mean");
    const auto weight = in.get<std::uint64_t>("a weight");
    in.require(mean >= before && mean <= max_, "its clusters are not in order");
    in.require(weight > 0 && weight <= kMostValues - weight_, "a cluster's weight can't be");
    before = mean;
    weight_ += weight;
    clusters_.push_back({canonical(mean), weight});
  }
  buffer_ = in.get_array<double>(buffered, "the buffered values");
  for (double& value : buffer_) {
    in.require(value >= min_ && value <= max_, "a buffered value is not from the least to the greatest");
    value = canonical(value);
  }
  return in.ok() ? Status(Done{}) : Status(in.error());
}

// Payload: bad u64, then the image as above.

std::string TDigest::encode() const {
  ByteWriter out;
  out.put<std::uint64_t>(bad_);
  out.put_bytes(to_datasketches());
  return write_frame(SketchKind::tdigest, out.bytes());
}

Result<TDigest> TDigest::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::tdigest);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::tdigest));
  const auto bad = in.get<std::uint64_t>("the count of bad ones");
  if (!in.ok()) return in.error();
  Result<TDigest> read = from_datasketches(in.take(in.left(), "the image"));
  if (read) read->bad_ = bad;
  return read;
}

}  // namespace weir
