#include "tests/support/source_dir.h"

namespace weir::test {

std::string source_dir() {
  return WEIR_SOURCE_DIR;
}

}  // namespace weir::test
