// Where the mean lies of which a count was drawn.
#pragma once

namespace weir {

struct MeanBounds {
  double low = 0;
  double high = 0;
};

/// Of a sum of chances that came out as `count`, for independent ones and those that hinder each other
/// (Chernoff's bound). REQUIRES: count >= 0, 0 < confidence < 1.
MeanBounds mean_bounds(double count, double confidence);

}  // namespace weir
