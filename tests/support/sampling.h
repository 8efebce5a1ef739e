// How to tell a sampler that is fair from one that is not: by what it keeps in many runs.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace weir::test {

/// Counts which of n records, and which pairs of them, are among the k that each run kept.
class Inclusions {
 public:
  Inclusions(std::size_t n, std::size_t k) : n_(n), k_(k), singles_(n), pairs_(n * n) {}

  template <class Items>
  void add(const Items& items) {
    ++runs_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      ++singles_.at(items[i].position);
      for (std::size_t j = 0; j < items.size(); ++j) {
        if (i != j) ++pairs_.at(items[i].position * n_ + items[j].position);
      }
    }
  }

  /// Chi-square, with n-1 degrees of freedom when each set of k of the n is as likely.
  double chi_square() const {
    const double expected = share(k_, n_) * runs_;
    double sum = 0;
    for (const double count : singles_) sum += (count - expected) * (count - expected) / expected;
    return sum * share(n_ - 1, n_ - k_);
  }

  /// How many standard deviations the pair that strays furthest is from where it should be.
  double worst_pair() const {
    const double chance = share(k_ * (k_ - 1), n_ * (n_ - 1));
    double worst = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double off = pairs_[i * n_ + j] - chance * runs_;
        worst = std::fmax(worst, std::fabs(off) / std::sqrt(runs_ * chance * (1 - chance)));
      }
    }
    return worst;
  }

  /// Chi-square of the pairs against these chances, for k = 2; one less than the pairs is its degrees of
  /// freedom. `chance(i, j)` is that of {i, j}.
  template <class Chance>
  double chi_square_of_pairs(Chance chance) const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double expected = chance(i, j) * runs_;
        sum += (pairs_[i * n_ + j] - expected) * (pairs_[i * n_ + j] - expected) / expected;
      }
    }
    return sum;
  }

 private:
  static double share(std::size_t a, std::size_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  }

  std::size_t n_;
  std::size_t k_;
  double runs_ = 0;
  std::vector<double> singles_;
  std::vector<double> pairs_;
};

}  // namespace weir::test
