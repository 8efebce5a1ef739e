// Which records a weighted sample keeps.
#pragma once

#include <cmath>

#include "weir/sketch/random.h"

namespace weir {

/// Algorithm A-ExpJ (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006). A record of
/// weight w has the key ln(E / w), E exponential: those with the smallest keys are the sample. Keys are
/// logarithms, so that no weight and no decay is too large or too small for them. How much weight passes
/// until a key comes below those that are kept is exponential too: it is drawn once, and counted down.
class JumpDraw {
 public:
  explicit JumpDraw(Random random) : random_(random) { redraw(); }

  /// A key while there is room. `log_weight` is ln w.
  double key(double log_weight) { return std::log(random_.exponential()) - log_weight; }

  /// Whether the key of the record that has come is below the threshold. `hazard` is its weight in units of
  /// the threshold: w * exp(threshold).
  bool lands(double hazard) {
    remaining_ -= hazard;
    return remaining_ <= 0;
  }
  /// That key, given that it is below. REQUIRES: lands(exp(log_hazard)), log_hazard = ln w + threshold.
  double key_below(double threshold, double log_hazard) {
    redraw();
    const double hazard = std::exp(log_hazard);
    // Where the hazard is tiny, E is as good as uniform up to it.
    if (hazard < 1e-9) return threshold + std::log(random_.open_unit());
    const double bounded = -std::log1p(random_.open_unit() * std::expm1(-hazard));
    return threshold + std::fmin(std::log(bounded) - log_hazard, 0);
  }
  /// After the threshold has changed from outside: what is left to pass is forgotten, for it has no memory.
  void redraw() { remaining_ = random_.exponential(); }

  /// Makes the draws to come depend on `word`, and on what another has drawn.
  void stir(std::uint64_t word) {
    random_.stir(word);
    redraw();
  }
  void stir(const JumpDraw& other) {
    random_.stir(other.random_);
    redraw();
  }

  double remaining() const { return remaining_; }
  const Random& random() const { return random_; }
  JumpDraw(Random random, double remaining) : random_(random), remaining_(remaining) {}

 private:
  Random random_;
  double remaining_ = 0;
};

}  // namespace weir
