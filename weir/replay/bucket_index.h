// From a bucket's hash to a small number, given in order of first sight. The hash is good already, so that
// its low bits are the place to look.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

class BucketIndex {
 public:
  /// The number of `bucket`: its old one, or size() as it was before the call.
  std::uint32_t number_of(std::uint64_t bucket);
  std::uint32_t size() const { return size_; }

 private:
  struct Slot {
    std::uint64_t bucket = 0;
    std::uint32_t number_plus_one = 0;  // 0: nobody lives here
  };
  Slot& slot_of(std::uint64_t bucket);
  void grow();

  std::vector<Slot> slots_;
  std::uint32_t size_ = 0;
};

}  // namespace weir
