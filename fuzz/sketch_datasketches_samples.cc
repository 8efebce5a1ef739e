// Any bytes as a VarOpt sample or reservoir of DataSketches: refused, or a sample that goes on.
#include "fuzz/sketch_fuzz.h"
#include "weir/sketch/datasketches_reservoir.h"
#include "weir/sketch/var_opt_sample.h"

namespace {

template <class T>
void use(weir::Result<weir::VarOptSample<T>> sample) {
  if (!sample) return;
  const std::string image = sample->write_datasketches();
  const auto again = weir::VarOptSample<T>::read_datasketches(image);
  weir::require(again.ok() && again->write_datasketches() == image);
  for (int i = 0; i < 5; ++i) sample->add(T{}, 1 + i);
  weir::require(sample->items().size() <= sample->capacity());
  if (sample->merge(*again).ok()) weir::require(sample->items().size() <= sample->capacity());
}

template <class T>
void use_reservoir(std::string_view bytes) {
  auto sample = weir::read_datasketches_reservoir<T>(bytes);
  if (!sample) return;
  weir::require(*weir::write_datasketches(*sample) != "");
  for (int i = 0; i < 5; ++i) sample->add(T{});
  weir::require(sample->items().size() <= sample->capacity());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = weir::text_of(data, size);
  use(weir::VarOptSample<std::int64_t>::read_datasketches(bytes));
  use(weir::VarOptSample<std::string>::read_datasketches(bytes));
  use(weir::VarOptSample<std::string>::decode(weir::framed(weir::SketchKind::var_opt, data, size)));
  use_reservoir<std::int64_t>(bytes);
  use_reservoir<std::string>(bytes);
  return 0;
}
