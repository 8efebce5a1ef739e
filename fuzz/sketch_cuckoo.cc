// Any bytes as a cuckoo filter: refused, or a filter that goes on and is written as it was read.
#include "fuzz/sketch_fuzz.h"
#include "weir/sketch/cuckoo_filter.h"

namespace {

constexpr std::uint64_t kMostBytes = 1U << 16U;

void use(weir::CuckooFilter& filter) {
  for (int i = 0; i < 5; ++i) {
    const std::string value = std::to_string(i);
    if (!filter.add(value)) continue;
    weir::require(filter.contains(value));
    if (i % 2 == 0) weir::require(filter.remove(value));
  }
  weir::require(filter.error_rate() >= 0 && filter.error_rate() <= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (auto filter = weir::CuckooFilter::decode(weir::framed(weir::SketchKind::cuckoo, data, size))) {
    const auto again = weir::CuckooFilter::decode(filter->encode());
    weir::require(again.ok() && again->encode() == filter->encode());
    use(*filter);
    if (filter->bytes() < kMostBytes) filter->merge(*again).ok();
  }
  if (auto filter = weir::CuckooFilter::from_header(weir::text_of(data, size), kMostBytes)) {
    weir::require(filter->bytes() <= kMostBytes);
    filter->load(size + 1, weir::text_of(data, size)).ok();
    use(*filter);
  }
  return 0;
}
