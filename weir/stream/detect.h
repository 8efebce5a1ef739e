// What `--format auto` takes a log for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The format that most of the first records of a log fit; "lines" when none does for more than half of them.
/// REQUIRES: LineReader::kPadding bytes after each line may be read.
std::string choose_format(std::span<const std::string_view> lines);

}  // namespace weir
