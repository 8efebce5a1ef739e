// Any bytes as frequent items, of numbers and of texts: what is read can be used and written again.
#include "fuzz/sketch_decoders.h"
#include "weir/sketch/frequent_items.h"

namespace weir {
namespace {

template <class Keys>
void use(Result<FrequentItems<Keys>> items, typename Keys::Key more) {
  if (!items) return;
  const auto before = items->top(1'000'000);
  must_hold(before.size() == items->size());
  for (const auto& item : before) {
    must_hold(item.lower <= item.upper && item.lower <= items->total_weight());
    must_hold(items->bounds(item.key).lower == item.lower);
  }
  const auto again = FrequentItems<Keys>::decode(items->encode());
  must_hold(again.ok() && again->top(1'000'000).size() == before.size());
  must_hold(again->max_error() == items->max_error() && again->total_weight() == items->total_weight());
  items->add(more, 7);
  must_hold(items->merge(*again).ok());
  must_hold(FrequentItems<Keys>::decode(items->encode()).ok());
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedSketch input(data, size);
  switch (input.choice % 3) {
    case 0:
      weir::use<weir::NumberKeys>(weir::FrequentNumbers::from_datasketches(input.bytes), 12'345);
      break;
    case 1:
      weir::use<weir::TextKeys>(weir::FrequentTexts::from_datasketches(input.bytes), "one more");
      break;
    default:
      weir::use<weir::NumberKeys>(weir::FrequentNumbers::decode(input.framed(weir::SketchKind::top_k)),
                                  12'345);
      weir::use<weir::TextKeys>(weir::FrequentTexts::decode(input.framed(weir::SketchKind::top_k)),
                                "one more");
  }
  return 0;
}
