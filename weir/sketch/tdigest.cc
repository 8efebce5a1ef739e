#include "weir/sketch/tdigest.h"

#include <algorithm>

#include "weir/sketch/estimate.h"
#include "weir/sketch/radix_sort.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kWhat = "t-digest";

/// As many clusters as DataSketches makes room for.
std::size_t cluster_capacity(unsigned k) {
  const std::size_t slack = k < 30 ? 30 : 10;
  return std::size_t{2} * k + slack;
}

}  // namespace

TDigest::TDigest(unsigned k)
    : k_(k),
      // Clusters are kept finer than k while values still come: the buffer is four times as large as they.
      scale_k_(2.0 * k),
      buffer_capacity_(4 * cluster_capacity(k)) {}

Result<TDigest> TDigest::create(unsigned k) {
  if (k < kMinK || k > kMaxK) {
    return error_of(kWhat, "k is " + std::to_string(k) + "; it must be from 10 to 65535");
  }
  return TDigest(k);
}

Result<unsigned> TDigest::suggest_k(double share) {
  // By k2 a cluster in the middle holds at most (ln(n / 2k) + 6) / 2k of all; the logarithm is 10 for streams
  // of a few million.
  const double k = std::ceil(8 / share);
  if (!(share > 0) || k > kMaxK) {
    return error_of(kWhat, "a share of " + std::to_string(share) + " can't be had; the least is 0.000123");
  }
  return static_cast<unsigned>(std::max<double>(k, kMinK));
}

std::size_t TDigest::memory_bytes(unsigned k) {
  const std::size_t clusters = cluster_capacity(k);
  // The buffer and its room, and the clusters with all that is being taken in.
  return sizeof(TDigest) + 2 * 4 * clusters * sizeof(double) + 3 * 5 * clusters * sizeof(Cluster);
}

void TDigest::add(std::span<const double> values) {
  for (const double value : values) add(value);
}

void TDigest::compress() {
  if (buffer_.empty()) return;
  radix_sort(buffer_, room_);
  std::vector<Cluster> added;
  added.reserve(buffer_.size());
  for (const double value : buffer_) added.push_back({value, 1});
  const std::uint64_t weight = buffer_.size();
  buffer_.clear();
  take_in(added, weight);
}

/// Merges clusters in order into those that are kept, joining neighbours as far as the scale function lets
/// them: q (1 - q) / normalizer of all values at either side.
void TDigest::take_in(const std::vector<Cluster>& added, std::uint64_t weight) {
  std::vector<Cluster> all(added.size() + clusters_.size());
  const auto less = [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; };
  std::merge(added.begin(), added.end(), clusters_.begin(), clusters_.end(), all.begin(), less);
  if (backwards_) std::reverse(all.begin(), all.end());
  weight_ += weight;
  const auto total = static_cast<double>(weight_);
  const double normalizer = scale_k_ / (4 * std::log(total / scale_k_) + 24);
  const auto most = [&](double q) { return q * (1 - q) / normalizer; };
  clusters_.clear();
  clusters_.push_back(all.front());
  double before = 0;
  double most_before = most(0);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto joined = static_cast<double>(clusters_.back().weight + all[i].weight);
    // The first and the last value always stay alone.
    const bool inner = i > 1 && i + 1 < all.size();
    if (inner && joined <= total * std::min(most_before, most((before + joined) / total))) {
      Cluster& last = clusters_.back();
      last.weight += all[i].weight;
      last.mean +=
          (all[i].mean - last.mean) * static_cast<double>(all[i].weight) / static_cast<double>(last.weight);
      continue;
    }
    before += static_cast<double>(clusters_.back().weight);
    most_before = most(before / total);
    clusters_.push_back(all[i]);
  }
  if (backwards_) std::reverse(clusters_.begin(), clusters_.end());
  backwards_ = !backwards_;
}

Status TDigest::merge(const TDigest& other) {
  if (const Status same = check_same(k_, other.k_, "k", kWhat); !same) return same;
  if (const Status counts = check_counts(count(), other.count(), kWhat); !counts) return counts;
  bad_ = saturating_sum(bad_, other.bad_);
  if (other.count() == 0) return Done{};
  min_ = count() == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count() == 0 ? other.max_ : std::max(max_, other.max_);
  const TDigest theirs = other.compressed();
  compress();
  take_in(theirs.clusters_, theirs.weight_);
  return Done{};
}

TDigest TDigest::compressed() const {
  TDigest copy = *this;
  copy.compress();
  return copy;
}

QuantileEstimate TDigest::quantile_in_clusters(double q) const {
  const std::uint64_t rank = nearest_rank(q, weight_);
  if (rank == 1) return {min_, min_, min_};
  if (rank == weight_) return {max_, max_, max_};
  std::size_t at = 0;
  std::uint64_t before = 0;
  while (at + 1 < clusters_.size() && before + clusters_[at].weight < rank) before += clusters_[at++].weight;
  const Cluster& cluster = clusters_[at];
  if (cluster.weight == 1) return {cluster.mean, cluster.mean, cluster.mean};
  // Between the middles of this cluster and the one to the side of which the rank lies.
  const double low = at == 0 ? min_ : clusters_[at - 1].mean;
  const double high = at + 1 == clusters_.size() ? max_ : clusters_[at + 1].mean;
  const double offset = static_cast<double>(rank - before) - 0.5 - static_cast<double>(cluster.weight) / 2;
  const std::size_t beside = offset < 0 ? at - 1 : at + 1;
  const bool outside = offset < 0 ? at == 0 : at + 1 == clusters_.size();
  const double beside_weight = outside ? 0 : static_cast<double>(clusters_[beside].weight);
  const double distance = (static_cast<double>(cluster.weight) + beside_weight) / 2;
  const double towards = offset < 0 ? low : high;
  const double share = std::min(1.0, std::abs(offset) / distance);
  const double value = cluster.mean * (1 - share) + towards * share;
  return {std::clamp(value, low, high), low, high};
}

std::optional<QuantileEstimate> TDigest::quantile(double q) const {
  if (count() == 0) return std::nullopt;
  return compressed().quantile_in_clusters(q);
}

std::vector<QuantileEstimate> TDigest::quantiles(std::span<const double> qs) const {
  std::vector<QuantileEstimate> answers;
  if (count() == 0) return answers;
  const TDigest ready = compressed();
  for (const double q : qs) answers.push_back(ready.quantile_in_clusters(q));
  return answers;
}

std::optional<double> TDigest::rank(double value) const {
  if (count() == 0) return std::nullopt;
  if (value < min_) return 0;
  if (value > max_) return 1;
  const TDigest ready = compressed();
  const auto total = static_cast<double>(ready.weight_);
  // Each cluster's middle stands at half of its weight; between them the line is straight.
  double before_mean = min_;
  double before = 0;
  double up_to = 0;
  double equal = 0;
  for (const Cluster& cluster : ready.clusters_) {
    const auto weight = static_cast<double>(cluster.weight);
    if (cluster.mean == value) {
      equal += weight;
    } else if (cluster.mean > value) {
      if (equal > 0) break;
      const double middle = up_to + weight / 2;
      const double share =
          cluster.mean > before_mean ? (value - before_mean) / (cluster.mean - before_mean) : 0;
      return (before + (middle - before) * share) / total;
    }
    if (equal == 0) {
      before_mean = cluster.mean;
      before = up_to + weight / 2;
      up_to += weight;
    }
  }
  if (equal > 0) return (up_to + equal / 2) / total;
  const double share = max_ > before_mean ? (value - before_mean) / (max_ - before_mean) : 1;
  return (before + (total - before) * share) / total;
}

}  // namespace weir
