#include "weir/cli/warnings.h"

#include <algorithm>
#include <utility>

#include "weir/base/text.h"

namespace weir {

void Warnings::add(std::string sentence) {
  if (std::find(kept_.begin(), kept_.end(), sentence) != kept_.end()) return;
  if (kept_.size() == kMost) {
    ++more_;
  } else {
    kept_.push_back(std::move(sentence));
  }
}

std::vector<std::string> Warnings::sentences() const {
  std::vector<std::string> all = kept_;
  if (more_ > 0) all.push_back("and " + with_thousands(more_) + " more like these");
  return all;
}

}  // namespace weir
