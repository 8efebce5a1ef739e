// Any bytes as a sample: refused, or a sample that goes on, merges and is written as it was read.
#include "fuzz/sketch_fuzz.h"
#include "weir/sketch/decayed_sample.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/sketch/weighted_sample.h"

namespace {

template <class Sample, class Add>
void use(weir::SketchKind kind, const std::uint8_t* data, std::size_t size, Add add) {
  const std::string bytes = weir::framed(kind, data, size);
  weir::Result<Sample> sample = Sample::decode(bytes);
  if (!sample) {
    weir::require(!sample.error().message.empty());
    return;
  }
  const weir::Result<Sample> again = Sample::decode(sample->encode());
  weir::require(again.ok());
  weir::require(again->encode() == sample->encode());
  for (int i = 0; i < 10; ++i) add(*sample);
  weir::require(sample->items().size() <= sample->capacity());
  if (sample->merge(*again).ok()) weir::require(sample->items().size() <= sample->capacity());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using weir::SketchKind;
  using Uniform = weir::UniformSample<std::string>;
  using Weighted = weir::WeightedSample<std::string>;
  using Decayed = weir::DecayedSample<std::string>;
  use<Uniform>(SketchKind::uniform_sample, data, size, [](Uniform& sample) { sample.add("x"); });
  use<Weighted>(SketchKind::weighted_sample, data, size, [](Weighted& sample) { sample.add("x", 2); });
  use<Decayed>(SketchKind::decayed_sample, data, size, [](Decayed& sample) { sample.add("x", 7); });
  std::string_view bytes = weir::text_of(data, size);
  while (weir::take_frame(bytes).ok()) {
  }
  return 0;
}
