// Any bytes as a count of different values in each of its forms: what is read can be used and written again.
#include "fuzz/sketch_decoders.h"
#include "weir/sketch/hll.h"
#include "weir/sketch/redis_hll.h"
#include "weir/sketch/theta.h"
#include "weir/sketch/ultra_log_log.h"

namespace weir {
namespace {

void use(Result<Hll> hll) {
  if (!hll) return;
  must_be_ordered(hll->estimate());
  for (const HllImage image : {HllImage::compact, HllImage::updatable}) {
    const Result<Hll> again = Hll::from_datasketches(hll->to_datasketches(image));
    must_hold(again.ok() && again->estimate().value == hll->estimate().value);
  }
  Hll other = *Hll::create(hll->lg_k(), HllForm::hll4);
  for (std::uint64_t i = 0; i < 100; ++i) other.add(i);
  must_hold(other.merge(*hll).ok());
  for (std::uint64_t i = 0; i < 100; ++i) hll->add(i);
  must_hold(Hll::decode(hll->encode()).ok() && Hll::decode(other.encode()).ok());
}

void use(Result<RedisHll> hll) {
  if (!hll) return;
  must_be_ordered(hll->estimate());
  hll->count();
  RedisHll other;
  other.merge(*hll);
  must_hold(other.registers() == hll->registers());
  for (int i = 0; i < 100; ++i) hll->add(std::to_string(i));
  must_hold(RedisHll::from_hyll(hll->hyll()).ok() && RedisHll::from_hyll(other.hyll()).ok());
}

void use(Result<UltraLogLog> counted) {
  if (!counted) return;
  must_be_ordered(counted->estimate());
  const Result<UltraLogLog> again = UltraLogLog::decode(counted->encode());
  must_hold(again.ok() && again->encode() == counted->encode());
  must_hold(counted->reduced(UltraLogLog::kMinPrecision).ok());
  for (std::uint64_t i = 0; i < 100; ++i) counted->add(i);
  must_hold(counted->merge(*again).ok() && UltraLogLog::decode(counted->encode()).ok());
}

void use(Result<ThetaSet> set) {
  if (!set) return;
  must_be_ordered(set->estimate());
  const Result<ThetaSet> again = ThetaSet::decode(set->encode());
  must_hold(again.ok() && again->to_datasketches() == set->to_datasketches());
  must_hold(ThetaSet::from_datasketches(set->to_datasketches(), set->seed()).ok());
  must_hold(ThetaSet::subtract(*set, *set)->hashes().empty());
  must_hold(ThetaSet::intersect(*set, *again)->to_datasketches() == set->to_datasketches());
}

}  // namespace
}  // namespace weir

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weir::FuzzedSketch input(data, size);
  switch (input.choice % 6) {
    case 0:
      weir::use(weir::Hll::from_datasketches(input.bytes));
      break;
    case 1:
      weir::use(weir::RedisHll::from_hyll(input.bytes));
      break;
    case 2:
      weir::use(weir::UltraLogLog::decode(input.framed(weir::SketchKind::distinct)));
      break;
    case 3:
      weir::use(weir::ThetaSet::from_datasketches(input.bytes));
      break;
    case 4:
      weir::use(weir::ThetaSet::decode(input.framed(weir::SketchKind::theta)));
      break;
    default:
      weir::use(weir::Hll::decode(input.bytes));
      weir::use(weir::RedisHll::decode(input.framed(weir::SketchKind::hyperloglog)));
  }
  return 0;
}
