#include "weir/sketch/kll.h"

#include <algorithm>
#include <array>

#include "weir/sketch/kll_levels.h"

namespace weir {
namespace {

using kll_detail::level_capacity;

constexpr std::string_view kWhat = "KLL quantiles";
/// Levels further than this below the top are replaced by drawing one value of every 2^level. What that adds
/// to the variance of a rank is below 1 % of it.
constexpr std::size_t kDepth = 10;

}  // namespace

template <class Real>
double Kll<Real>::rank_error(unsigned k) {
  // Measured by the DataSketches project over many streams; tests hold it here.
  return 2.296 / std::pow(static_cast<double>(k), 0.9723);
}

template <class Real>
Kll<Real>::Kll(unsigned k, Seed seed)
    : k_(k), least_k_(k), seed_(seed), random_(static_cast<std::uint64_t>(seed)) {
  set_levels(1);
}

template <class Real>
Result<Kll<Real>> Kll<Real>::create(unsigned k, Seed seed) {
  if (k < kMinK || k > kMaxK) {
    return error_of(kWhat, "k is " + std::to_string(k) + "; it must be from 8 to 65535");
  }
  return Kll(k, seed);
}

template <class Real>
Result<unsigned> Kll<Real>::suggest_k(double wished) {
  if (!(wished >= rank_error(kMaxK))) {
    return error_of(
        kWhat, "a rank error of " + std::to_string(wished) + " can't be had; the least is 0.00005 (0.005 %)");
  }
  unsigned low = kMinK;
  unsigned high = kMaxK;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (rank_error(middle) <= wished) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

template <class Real>
std::size_t Kll<Real>::memory_bytes(unsigned k) {
  const std::size_t levels = kll_detail::kMostLevels * sizeof(std::vector<Real>);
  const std::size_t values = kll_detail::total_capacity(k, kDepth + 1) + 2 * kll_detail::kMostLevels;
  // Vectors double, and one more holds what is being merged.
  return sizeof(Kll) + levels + 3 * values * sizeof(Real);
}

template <class Real>
std::size_t Kll<Real>::capacity_of(std::size_t level) const {
  return level < lg_sample_ ? 2 : level_capacity(k_, levels_.size() - 1 - level);
}

template <class Real>
void Kll<Real>::set_levels(std::size_t count) {
  levels_.resize(count);
  lg_sample_ = count > kDepth + 1 ? static_cast<unsigned>(count - kDepth - 1) : 0;
  // A level below may have one value left over.
  capacity_ = lg_sample_;
  for (std::size_t level = lg_sample_; level < count; ++level) capacity_ += capacity_of(level);
}

template <class Real>
void Kll<Real>::add(std::span<const Real> values) {
  for (const Real value : values) add(value);
}

template <class Real>
void Kll<Real>::end_sample() {
  seen_ = 0;
  keep(chosen_);
  target_ = random_.next() >> (64 - lg_sample_);
}

template <class Real>
void Kll<Real>::compress() {
  while (held_ >= capacity_) {
    std::size_t level = 0;
    while (level + 1 < levels_.size() && levels_[level].size() < capacity_of(level)) ++level;
    if (level + 1 == levels_.size()) set_levels(levels_.size() + 1);
    compact(level);
  }
}

/// Puts every other value of the level, from the first or the second on, into the next; an odd one stays.
template <class Real>
void Kll<Real>::compact(std::size_t level) {
  std::vector<Real>& values = levels_[level];
  if (level <= lg_sample_) std::sort(values.begin(), values.end());
  const std::size_t odd = values.size() % 2;
  std::size_t from = odd + (random_.next() >> 63U);
  std::size_t count = 0;
  const std::size_t pairs = values.size() / 2;
  // In place: what is written has been read.
  for (; count < pairs; ++count, from += 2) values[odd + count] = values[from];
  append(level + 1, std::span<const Real>(values).subspan(odd, pairs));
  values.resize(odd);
  held_ -= pairs;
}

template <class Real>
void Kll<Real>::append(std::size_t level, std::span<const Real> values) {
  std::vector<Real>& into = levels_[level];
  if (level <= lg_sample_) {
    into.insert(into.end(), values.begin(), values.end());
    return;
  }
  scratch_.resize(into.size() + values.size());
  std::merge(into.begin(), into.end(), values.begin(), values.end(), scratch_.begin());
  into.swap(scratch_);
}

/// The sample that is being drawn stands for as many values as have come to it, so its value is put into the
/// levels whose weights add up to that. Before the drawn place has come the latest value stands in, which
/// errs by less than 3 in a million ranks.
template <class Real>
std::vector<std::vector<Real>> Kll<Real>::levels_with_sample() const {
  std::vector<std::vector<Real>> levels = levels_;
  for (unsigned bit = 0; bit < lg_sample_; ++bit) {
    if ((seen_ >> bit & 1U) != 0) levels[bit].push_back(chosen_);
  }
  for (std::size_t level = 1; level <= lg_sample_ && level < levels.size(); ++level) {
    std::sort(levels[level].begin(), levels[level].end());
  }
  return levels;
}

template <class Real>
Status Kll<Real>::merge(const Kll& other) {
  if (Status same = check_same(k_, other.k_, "k", kWhat); !same) return same;
  if (Status same = check_same_seed(seed_, other.seed_, kWhat); !same) return same;
  if (Status counts = check_counts(count_, other.count_, kWhat); !counts) return counts;
  const std::vector<std::vector<Real>> theirs = other.levels_with_sample();
  levels_ = levels_with_sample();
  seen_ = 0;
  set_levels(std::max(levels_.size(), theirs.size()));
  for (std::size_t level = 0; level < theirs.size(); ++level) append(level, theirs[level]);
  held_ = 0;
  for (const std::vector<Real>& level : levels_) held_ += level.size();
  target_ = lg_sample_ == 0 ? 0 : random_.next() >> (64 - lg_sample_);
  count_ += other.count_;
  bad_ = saturating_sum(bad_, other.bad_);
  least_k_ = std::min(least_k_, other.least_k_);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  compress();
  return Done{};
}

template <class Real>
std::vector<typename Kll<Real>::Weighted> Kll<Real>::sorted_view() const {
  std::vector<Weighted> view;
  const std::vector<std::vector<Real>> levels = levels_with_sample();
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const Real value : levels[level]) view.push_back({value, std::uint64_t{1} << level});
  }
  std::sort(view.begin(), view.end(), [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  std::uint64_t sum = 0;
  for (Weighted& weighted : view) weighted.up_to = sum += weighted.up_to;
  return view;
}

template <class Real>
QuantileEstimate Kll<Real>::quantile_in(std::span<const Weighted> view, double q) const {
  const auto at_rank = [&](double rank) -> double {
    if (rank <= 1) return min_;
    if (rank >= static_cast<double>(count_)) return max_;
    const auto found = std::partition_point(view.begin(), view.end(), [&](const Weighted& weighted) {
      return static_cast<double>(weighted.up_to) < rank;
    });
    return found->value;
  };
  const auto rank = static_cast<double>(nearest_rank(q, count_));
  const double value = at_rank(rank);
  const bool known = is_exact() || rank <= 1 || rank >= static_cast<double>(count_);
  const double reach = known ? 0 : rank_error() * static_cast<double>(count_);
  return {value, at_rank(rank - reach), at_rank(rank + reach)};
}

template <class Real>
std::optional<QuantileEstimate> Kll<Real>::quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  return quantile_in(sorted_view(), q);
}

template <class Real>
std::vector<QuantileEstimate> Kll<Real>::quantiles(std::span<const double> qs) const {
  std::vector<QuantileEstimate> answers;
  if (count_ == 0) return answers;
  const std::vector<Weighted> view = sorted_view();
  for (const double q : qs) answers.push_back(quantile_in(view, q));
  return answers;
}

template <class Real>
std::optional<Estimate> Kll<Real>::rank(Real value) const {
  if (count_ == 0) return std::nullopt;
  if (value < min_) return exact_estimate(0);
  if (value >= max_) return exact_estimate(1);
  std::uint64_t below = 0;
  for (const Weighted& weighted : sorted_view()) {
    if (weighted.value <= value) below = weighted.up_to;
  }
  const double share = static_cast<double>(below) / static_cast<double>(count_);
  if (is_exact()) return exact_estimate(share);
  return Estimate{share, std::max(0.0, share - rank_error()), std::min(1.0, share + rank_error()),
                  kConfidence};
}

template class Kll<float>;
template class Kll<double>;

}  // namespace weir
