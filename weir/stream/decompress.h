// Compressed files as they were before: gzip and zstd, known by their first bytes and not by their names.
#pragma once

#include <memory>
#include <string>

#include "weir/stream/byte_source.h"

namespace weir {

/// `source` decompressed when its first bytes say that it is compressed, else as it is. Several members or
/// frames behind each other are read as one. What can be read of damaged or cut data is given; the read after
/// it is an error that names the file `name`.
std::unique_ptr<ByteSource> decompressed(std::string name, std::unique_ptr<ByteSource> source);

}  // namespace weir
