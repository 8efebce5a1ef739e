#include "weir/sketch/quantile.h"

#include <string>

namespace weir {

Status check_quantile(double q, std::string_view what) {
  if (q >= 0 && q <= 1) return Done{};
  return Error{std::string(what) + ": quantile " + std::to_string(q) + "; it must be from 0 to 1"};
}

}  // namespace weir
