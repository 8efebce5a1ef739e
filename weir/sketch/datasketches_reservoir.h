// The reservoir of DataSketches for Java (family 11), read into and written from a uniform sample.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/datasketches_items.h"
#include "weir/sketch/uniform_sample.h"

namespace weir {

namespace reservoir_detail {

inline constexpr std::uint8_t kFamily = 11;
/// It counts records in 48 bits.
inline constexpr std::uint64_t kMostSeen = (std::uint64_t{1} << 48U) - 2;

}  // namespace reservoir_detail

/// A ReservoirLongsSketch, or a ReservoirItemsSketch of what DataSketchesItems<T> knows. A capacity outside
/// of [1, 2^31 - 2] and more than 2^48 - 2 records are refused, for it has no room for them.
template <class T>
Result<std::string> write_datasketches(const UniformSample<T>& sample) {
  if (sample.capacity() < 1 || sample.capacity() > 0x7FFFFFFE ||
      sample.seen() > reservoir_detail::kMostSeen) {
    return Error{
        "uniform sample: a DataSketches reservoir has 1 to 2147483646 places, and counts to 2^48 - 2"};
  }
  ByteWriter out;
  DataSketchesHead head;
  head.longs = sample.seen() == 0 ? 1 : 2;
  head.family = reservoir_detail::kFamily;
  head.flags = sample.seen() == 0 ? DataSketchesHead::kEmpty : 0;
  head.k = static_cast<std::uint32_t>(sample.capacity());
  head.write(out);
  if (sample.seen() > 0) out.put<std::uint64_t>(sample.seen());
  for (const auto& item : sample.items()) DataSketchesItems<T>::write(out, item.value);
  return out.take();
}

/// The image does not say which records came when: positions are the places in it. Draws go on from `seed`
/// and `stream`, which it does not say either.
template <class T>
Result<UniformSample<T>> read_datasketches_reservoir(std::string_view bytes, Seed seed = kFixedSeed,
                                                     std::uint64_t stream = 0) {
  ByteReader in(bytes, "DataSketches reservoir");
  const DataSketchesHead head =
      DataSketchesHead::read(in, reservoir_detail::kFamily, DataSketchesHead::kEmpty);
  const bool empty = (head.flags & DataSketchesHead::kEmpty) != 0;
  in.require(head.longs == (empty ? 1 : 2), "the size of its head does not fit its flags");
  const std::uint64_t seen = empty ? 0 : in.get<std::uint64_t>("the count of records");
  in.require(seen <= reservoir_detail::kMostSeen, "it counts more than 2^48 - 2 records");
  in.require(empty || seen > 0, "it has no records, and does not say that it is empty");
  std::vector<T> values;
  const std::uint64_t kept = std::min<std::uint64_t>(seen, head.k);
  if (in.fits(kept, DataSketchesItems<T>::kLeastBytes, "the items")) {
    values.reserve(static_cast<std::size_t>(kept));
    while (values.size() < kept && in.ok()) values.push_back(DataSketchesItems<T>::read(in));
  }
  if (Status end = in.finish(); !end) return end.error();
  return UniformSample<T>::adopt(head.k, seed, stream, seen, std::move(values));
}

}  // namespace weir
