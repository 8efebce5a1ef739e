// Where the project's files are that a test reads.
#pragma once

#include <string>

namespace weir::test {

/// The root of the working tree.
std::string source_dir();

}  // namespace weir::test
