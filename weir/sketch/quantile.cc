#include "weir/sketch/quantile.h"
#include "weir/sketch/seed.h"

#include <string>

namespace weir {

Status check_quantile(double q, std::string_view what) {
  if (q >= 0 && q <= 1) return Done{};
  return error_of(what, "quantile " + std::to_string(q) + "; it must be from 0 to 1");
}

Status check_counts(std::uint64_t mine, std::uint64_t other, std::string_view what) {
  if (mine <= kMostValues && other <= kMostValues - mine) return Done{};
  return error_of(what, "can't merge: together they would have counted more than 2^62 values");
}

}  // namespace weir
