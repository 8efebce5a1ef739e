#include "weir/sketch/sample_head.h"

#include <cmath>

namespace weir {
Status SampleHead::check_merge(const SampleHead& other, std::string_view what) const {
  if (Status same = check_same_seed(seed, other.seed, what); !same) return same;
  if (Status same = check_same(capacity, other.capacity, "the size", what); !same) return same;
  if (Status can = check_count(seen, other.seen, what); !can) return can;
  return check_count(bad, other.bad, what);
}

void SampleHead::absorb(const SampleHead& other) {
  seen += other.seen;
  bad += other.bad;
  draw.stir(other.draw);
}

void SampleHead::encode(ByteWriter& out) const {
  out.put<std::uint64_t>(static_cast<std::uint64_t>(seed));
  out.put_varint(capacity);
  out.put_varint(seen);
  out.put_varint(bad);
  out.put<double>(draw.remaining());
  for (const std::uint64_t word : draw.random().state()) out.put<std::uint64_t>(word);
}

SampleHead SampleHead::decode(ByteReader& in) {
  const Seed seed{in.get<std::uint64_t>("the seed")};
  SampleHead head(in.get_varint("the size"), seed, 0);
  head.seen = in.get_varint("the count of records");
  head.bad = in.get_varint("the count of bad records");
  const auto remaining = in.get<double>("the weight to pass");
  Random::State state{};
  for (std::uint64_t& word : state) word = in.get<std::uint64_t>("the state of the generator");
  in.require(head.seen <= kMostRecords && head.bad <= kMostRecords, "it counts more than 2^63 records");
  in.require(remaining >= 0 && std::isfinite(remaining), "the weight to pass is no finite positive number");
  head.draw = JumpDraw(Random(state), remaining);
  return head;
}

}  // namespace weir
