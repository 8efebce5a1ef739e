// Any bytes as a file that holds a summary: refused in one sentence, or a summary that is told, merged and
// written again.
#include <string>
#include <string_view>

#include "fuzz/sketch_fuzz.h"
#include "weir/cli/summary_file.h"
#include "weir/replay/json.h"
#include "weir/stream/saved_summary.h"
#include "weir/stream/summary_origin.h"

namespace weir {
namespace {

std::string facts_of(const SavedSummary& saved) {
  std::string text;
  JsonWriter json(text);
  write_summary_facts(json, saved);
  require(!summary_facts_text(saved).empty());
  return text;
}

void use(std::string_view bytes) {
  Result<SavedSummary> saved = SavedSummary::decode(bytes);
  if (!saved) {
    require(!saved.error().message.empty());
    return;
  }
  require(SavedSummary::check_beginning(bytes.substr(0, SavedSummary::kBeginning)).ok());
  const std::string facts = facts_of(*saved);
  require(facts.starts_with('{') && facts.ends_with('}'));
  const Result<std::string> written = saved->encode();
  if (written) {
    const Result<SavedSummary> again = SavedSummary::decode(*written);
    require(again.ok());
    require(again->kind() == saved->kind() && again->origin() == saved->origin());
    require(facts_of(*again) == facts);
    if (saved->merge(*again)) facts_of(*saved);
  }
}

}  // namespace
}  // namespace weir

/// The first byte chooses: a frame of any kind with a checksum that fits, with or without fields before it,
/// or the bytes as they are.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr unsigned kKinds = static_cast<unsigned>(weir::SketchKind::origin);
  if (size == 0) return 0;
  const unsigned choice = data[0] % (2 * kKinds + 1);
  const std::string_view rest = weir::text_of(data + 1, size - 1);
  if (choice == 2 * kKinds) {
    weir::use(rest);
    return 0;
  }
  const std::string frame = weir::write_frame(static_cast<weir::SketchKind>(1 + choice % kKinds), rest);
  weir::use(choice < kKinds ? frame : weir::encode_origin({.fields = {"ip"}}) + frame);
  return 0;
}
