#include "weir/replay/bucket_index.h"

#include <utility>

namespace weir {

BucketIndex::Slot& BucketIndex::slot_of(std::uint64_t bucket) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = bucket & mask;
  while (slots_[at].number_plus_one != 0 && slots_[at].bucket != bucket) at = (at + 1) & mask;
  return slots_[at];
}

std::uint32_t BucketIndex::number_of(std::uint64_t bucket) {
  // At most half full, so that runs stay short.
  if (std::size_t{size_} * 2 >= slots_.size()) grow();
  Slot& slot = slot_of(bucket);
  if (slot.number_plus_one == 0) slot = {bucket, ++size_};
  return slot.number_plus_one - 1;
}

void BucketIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.number_plus_one != 0) slot_of(slot.bucket) = slot;
  }
}

}  // namespace weir
