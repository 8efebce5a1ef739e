// Any bytes as a Count-Min sketch: refused, or a sketch that goes on and is written as it was read.
#include "fuzz/sketch_fuzz.h"
#include "weir/sketch/count_min.h"

namespace {

template <class Sketch>
void use(const std::uint8_t* data, std::size_t size) {
  auto sketch = Sketch::decode(weir::framed(weir::SketchKind::count_min, data, size));
  if (!sketch) return;
  const auto again = Sketch::decode(sketch->encode());
  weir::require(again.ok() && again->encode() == sketch->encode());
  const std::uint64_t before = sketch->estimate("x");
  const std::uint64_t after = sketch->add("x", 3);
  weir::require(after == sketch->estimate("x"));
  weir::require(after == before + 3 || (after == Sketch::kMostCount && sketch->saturated()));
  weir::require(sketch->merge(*again, 2).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  use<weir::CountMin>(data, size);
  use<weir::WideCountMin>(data, size);
  return 0;
}
