// Single tokens of JSON: what simdjson's lazy reader leaves unchecked.
#pragma once

#include <optional>
#include <string_view>

#include "weir/stream/scratch.h"

namespace weir {

/// Whether `token` is a number as JSON writes it, of any size.
bool is_json_number(std::string_view token);

/// What stands between the quotes of a JSON string, its escapes replaced: as it stands when it has none, else
/// in `scratch`. Half a surrogate pair becomes U+FFFD. Nothing when an escape is none of JSON's.
std::optional<std::string_view> unescape_json(std::string_view inside, Scratch& scratch);

/// `text` with each byte that is not UTF-8 replaced by U+FFFD, in `scratch`, with `padding` zeros behind it.
std::string_view repair_utf8(std::string_view text, std::size_t padding, Scratch& scratch);

}  // namespace weir
