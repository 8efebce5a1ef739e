// The image of DataSketches' frequent items, family 10, serial version 1.
//
//   0 preamble longs (1 empty, 4)   1 version 1   2 family 10   3 lg of the most cells   4 lg of the cells
//   5 flags (5: empty)   6 zero u16
//   8 items u32   12 zero u32   16 total i64   24 offset i64   32 weights i64, then the items
#include "weir/sketch/encoding.h"
#include "weir/sketch/frequent_items.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "frequent items of DataSketches";
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFamily = 10;
// One bit by the documents, another in older files; both mean it.
constexpr std::uint8_t kEmptyFlags = 5;

struct Head {
  bool empty = false;
  unsigned lg_most = 0;
  unsigned lg = 0;
};

Head read_head(ByteReader& in) {
  Head head;
  const auto longs = in.get<std::uint8_t>("the preamble") & 0x3FU;
  in.require(in.get<std::uint8_t>("the version") == kVersion, "the serial version is not 1");
  in.require(in.get<std::uint8_t>("the family") == kFamily, "the family is not 10 (frequent items)");
  head.lg_most = in.get<std::uint8_t>("the most cells");
  head.lg = in.get<std::uint8_t>("the cells");
  const unsigned flags = in.get<std::uint8_t>("the flags");
  in.get<std::uint16_t>("the zeros");
  head.empty = (flags & kEmptyFlags) != 0;
  in.require(longs == (head.empty ? 1U : 4U), "the preamble does not fit the flags");
  in.require(head.lg >= 3 && head.lg <= head.lg_most && head.lg_most <= FrequentNumbers::kMaxLg,
             "sizes of 2^" + std::to_string(head.lg) + " and 2^" + std::to_string(head.lg_most) +
                 " cells; they must be from 2^3 to 2^21");
  return head;
}

}  // namespace

template <class Keys>
std::string FrequentItems<Keys>::to_datasketches() const {
  ByteWriter out;
  const bool empty = keys_.size() == 0;
  unsigned lg = 0;
  while (std::size_t{1} << lg < keys_.cells()) ++lg;
  out.put<std::uint8_t>(empty ? 1 : 4);
  out.put<std::uint8_t>(kVersion);
  out.put<std::uint8_t>(kFamily);
  out.put<std::uint8_t>(static_cast<std::uint8_t>(lg_cells()));
  out.put<std::uint8_t>(static_cast<std::uint8_t>(lg));
  out.put<std::uint8_t>(empty ? kEmptyFlags : 0);
  out.put<std::uint16_t>(0);
  if (empty) return out.take();
  out.put<std::uint32_t>(static_cast<std::uint32_t>(keys_.size()));
  out.put<std::uint32_t>(0);
  out.put<std::uint64_t>(total_);
  out.put<std::uint64_t>(offset_);
  keys_.visit([&](Key, std::uint64_t weight) { out.put<std::uint64_t>(weight); });
  keys_.visit([&](Key key, std::uint64_t) { Keys::put(out, key); });
  return out.take();
}

template <class Keys>
Result<FrequentItems<Keys>> FrequentItems<Keys>::from_datasketches(std::string_view bytes, Seed seed) {
  ByteReader in(bytes, kWhat);
  const Head head = read_head(in);
  std::uint32_t count = 0;
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  if (!head.empty) {
    count = in.get<std::uint32_t>("the number of items");
    in.get<std::uint32_t>("the zeros");
    total = in.get<std::uint64_t>("the total");
    offset = in.get<std::uint64_t>("the offset");
    in.require(count > 0 && count <= FrequentTable<int>::capacity(std::size_t{1} << head.lg_most),
               std::to_string(count) + " items do not fit its cells");
    in.require(total <= kMostWeight && offset <= total, "the total or the offset can't be");
  }
  const auto weights = in.get_array<std::uint64_t>(count, "the weights");
  in.fits(count, Keys::kLeastImageBytes, "the items");
  if (!in.ok()) return in.error();
  FrequentItems items(head.lg, head.lg_most, seed);
  for (const std::uint64_t weight : weights) {
    const Key key = Keys::get(in);
    // A total that has stopped is less than its weights together.
    const std::uint64_t most = total == kMostWeight ? kMostWeight : total - items.total_;
    in.require(weight > 0 && weight <= most, "its weights do not fit its total");
    if (!in.ok()) return in.error();
    items.add(key, weight);
  }
  in.require(items.size() == count, "an item is there twice");
  if (const Status end = in.finish(); !end) return end.error();
  items.total_ = total;
  items.offset_ = offset;
  items.saturated_ = total == kMostWeight;
  return items;
}

// Payload: kind of the keys u8, seed u64, then the image as above.

template <class Keys>
std::string FrequentItems<Keys>::encode() const {
  ByteWriter out;
  out.put<std::uint8_t>(Keys::kTag);
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed_));
  out.put_bytes(to_datasketches());
  return write_frame(SketchKind::top_k, out.bytes());
}

template <class Keys>
Result<FrequentItems<Keys>> FrequentItems<Keys>::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::top_k);
  if (!payload) return payload.error();
  ByteReader in(*payload, name_of(SketchKind::top_k));
  const auto tag = in.get<std::uint8_t>("the kind of its keys");
  const auto seed = in.get<std::uint64_t>("the seed");
  in.require(tag == Keys::kTag, Keys::kTag == 0 ? "its keys are no numbers" : "its keys are no texts");
  if (!in.ok()) return in.error();
  return from_datasketches(in.take(in.left(), "the image"), Seed{seed});
}

template std::string FrequentItems<NumberKeys>::to_datasketches() const;
template std::string FrequentItems<TextKeys>::to_datasketches() const;
template Result<FrequentNumbers> FrequentItems<NumberKeys>::from_datasketches(std::string_view, Seed);
template Result<FrequentTexts> FrequentItems<TextKeys>::from_datasketches(std::string_view, Seed);
template std::string FrequentItems<NumberKeys>::encode() const;
template std::string FrequentItems<TextKeys>::encode() const;
template Result<FrequentNumbers> FrequentItems<NumberKeys>::decode(std::string_view);
template Result<FrequentTexts> FrequentItems<TextKeys>::decode(std::string_view);

}  // namespace weir
