// Whole small files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "weir/base/result.h"

namespace weir {

/// The bytes of a file; refused as soon as more than `most` have been read. The error is a sentence without
/// the file's name.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace weir
