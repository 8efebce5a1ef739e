// Any bytes as a Bloom filter of each kind: refused, or a filter that goes on and is written as it was read.
#include "fuzz/sketch_fuzz.h"
#include "weir/sketch/block_bloom.h"
#include "weir/sketch/datasketches_bloom.h"
#include "weir/sketch/scalable_bloom.h"

namespace {

constexpr std::uint64_t kMostBytes = 1U << 20U;

void use_block(const std::uint8_t* data, std::size_t size) {
  auto filter = weir::BlockBloom::decode(weir::framed(weir::SketchKind::block_bloom, data, size));
  if (!filter) return;
  weir::require(weir::BlockBloom::decode(filter->encode())->encode() == filter->encode());
  filter->add("x");
  weir::require(filter->contains("x"));
  weir::require(filter->error_rate() >= 0 && filter->error_rate() <= 1);
}

void use_scalable(weir::ScalableBloom& filter) {
  const auto again = weir::ScalableBloom::decode(filter.encode());
  weir::require(again.ok() && again->encode() == filter.encode());
  for (int i = 0; i < 5; ++i) {
    const std::string value = std::to_string(i);
    if (filter.add(value) != weir::ScalableBloom::Added::full) weir::require(filter.contains(value));
  }
  filter.merge(*again).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  use_block(data, size);
  const std::string_view bytes = weir::text_of(data, size);
  if (auto filter = weir::ScalableBloom::decode(weir::framed(weir::SketchKind::scalable_bloom, data, size))) {
    use_scalable(*filter);
  }
  if (auto filter = weir::ScalableBloom::from_header(bytes, kMostBytes)) {
    weir::require(filter->bytes() <= kMostBytes);
    filter->load(size, bytes).ok();
    use_scalable(*filter);
  }
  if (auto filter = weir::DataSketchesBloom::read_datasketches(bytes, kMostBytes)) {
    weir::require(weir::DataSketchesBloom::read_datasketches(filter->write_datasketches()).ok());
    filter->add("x");
    weir::require(filter->contains("x"));
  }
  return 0;
}
