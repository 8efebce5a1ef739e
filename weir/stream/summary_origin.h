// What a saved summary is of. It stands in a frame of its own before that of the summary.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/encoding.h"

namespace weir {

/// The fields of the records that went into a summary.
struct SummaryOrigin {
  /// Those whose values it is of, in the order in which they were named; none: of whole records.
  std::vector<std::string> fields{};
  /// The one that said how much a record weighs.
  std::optional<std::string> weight{};

  bool operator==(const SummaryOrigin&) const = default;
};

/// A frame of the kind SketchKind::origin.
std::string encode_origin(const SummaryOrigin& origin);
/// From such a frame. Errors: one sentence.
Result<SummaryOrigin> decode_origin(std::string_view frame);

/// For people: `"ip", "path"`, `whole records weighted by "bytes"`.
std::string text_of(const SummaryOrigin& origin);

}  // namespace weir
