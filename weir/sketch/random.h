// Random numbers for samplers: the same for the same seed on every machine. No std:: distribution is used,
// for their output differs between libraries.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "weir/base/wide.h"

namespace weir {

/// xoshiro256++ 1.0 of Blackman and Vigna ("Scrambled linear pseudorandom number generators", 2021), its
/// state filled by splitmix64.
class Random {
 public:
  using State = std::array<std::uint64_t, 4>;

  /// `stream` gives another sequence for the same seed.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = split_mix(seed) ^ stream;
    for (std::uint64_t& word : state_) word = split_mix(x += kGolden);
  }
  /// Goes on where another stood. An all-zero state, which would stay zero forever, is replaced.
  explicit Random(const State& state) : state_(state) {
    if (state == State{}) *this = Random(0);
  }
  const State& state() const { return state_; }

  /// Goes over to another sequence, which depends on where this one stood and on `word`.
  void stir(std::uint64_t word) {
    std::uint64_t x = next() ^ split_mix(word + kGolden);
    for (std::uint64_t& part : state_) part ^= split_mix(x += kGolden);
    if (state_ == State{}) *this = Random(word);
  }
  /// The same by where another stands.
  void stir(const Random& other) {
    const State theirs = other.state_;
    for (const std::uint64_t word : theirs) stir(word);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Each of [0, n) exactly as likely (Lemire, "Fast random integer generation in an interval", 2019).
  /// REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n) {
    Wide product = Wide{next()} * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t reject = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < reject) product = Wide{next()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// A uniform number of (0, 1], in steps of 2^-53.
  double unit() { return static_cast<double>((next() >> 11U) + 1) * 0x1p-53; }

  /// A uniform number of (0, 1) without its ends, in steps of 2^-52.
  double open_unit() { return (static_cast<double>(next() >> 12U) + 0.5) * 0x1p-52; }

  /// An exponential one of mean 1, which is -ln of a uniform one, precise at both ends: in [2^-65, 45.1].
  double exponential() {
    const std::uint64_t bits = next();
    if (bits < kHalf) return -std::log1p(-(static_cast<double>(bits) + 0.5) * 0x1p-64);
    return -std::log((static_cast<double>(~bits) + 0.5) * 0x1p-64);
  }

  /// A normal one of mean 0 and deviation 1 (Marsaglia's polar method).
  double normal() {
    for (;;) {
      const double x = 2 * unit() - 1;
      const double y = 2 * unit() - 1;
      const double square = x * x + y * y;
      if (square < 1 && square > 0) return x * std::sqrt(-2 * std::log(square) / square);
    }
  }

  /// One of the gamma distribution of this shape and scale 1 (Marsaglia and Tsang, "A simple method for
  /// generating gamma variables", 2000). REQUIRES: shape >= 1.
  double gamma(double shape) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal();
      const double base = 1 + c * x;
      if (base <= 0) continue;
      const double v = base * base * base;
      if (std::log(unit()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  static constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;

  static constexpr std::uint64_t rotate(std::uint64_t x, unsigned by) { return (x << by) | (x >> (64 - by)); }
  static constexpr std::uint64_t split_mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
    return z ^ (z >> 31U);
  }

  State state_{};
};

}  // namespace weir
