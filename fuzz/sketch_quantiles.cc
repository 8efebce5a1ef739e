// Any bytes as one of the summaries of numbers: what is read can be asked, fed, merged and written again.
#include <optional>

#include "fuzz/sketch_decoders.h"
#include "weir/sketch/ddsketch.h"
#include "weir/sketch/kll.h"
#include "weir/sketch/moments.h"
#include "weir/sketch/tdigest.h"

namespace weir {
namespace {

template <class Sketch>
void use(Result<Sketch> sketch) {
  if (!sketch) return;
  for (const double q : {0.0, 0.001, 0.3, 0.5, 0.999, 1.0}) {
    const std::optional<QuantileEstimate> answer = sketch->quantile(q);
    must_hold(answer.has_value() == (sketch->count() > 0));
    if (!answer) continue;
    must_hold(answer->low <= answer->value && answer->value <= answer->high);
    must_hold(*sketch->min() <= answer->value && answer->value <= *sketch->max());
  }
  const Result<Sketch> again = Sketch::decode(sketch->encode());
  must_hold(again.ok() && again->count() == sketch->count());
  for (int i = -500; i < 1'500; ++i) sketch->add(static_cast<float>(i));
  must_hold(!sketch->merge(*again).ok() || Sketch::decode(sketch->encode()).ok());
}

void use(Result<Moments> moments) {
  if (!moments) return;
  must_hold(moments->mean().has_value() == (moments->count() > 0));
  must_hold(!moments->variance() || *moments->variance() >= 0);
  must_hold(Moments::decode(moments->encode()).ok());
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedSketch input(data, size);
  switch (input.choice % 6) {
    case 0:
      weir::use(weir::Kll<float>::from_datasketches(input.bytes));
      break;
    case 1:
      weir::use(weir::Kll<double>::from_datasketches(input.bytes));
      break;
    case 2:
      weir::use(weir::TDigest::from_datasketches(input.bytes));
      break;
    case 3:
      weir::use(weir::DDSketch::decode(input.framed(weir::SketchKind::ddsketch)));
      break;
    case 4:
      weir::use(weir::Moments::decode(input.framed(weir::SketchKind::moments)));
      break;
    default:
      weir::use(weir::Kll<double>::decode(input.framed(weir::SketchKind::kll)));
      weir::use(weir::TDigest::decode(input.framed(weir::SketchKind::tdigest)));
  }
  return 0;
}
