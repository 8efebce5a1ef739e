#include "weir/sketch/ddsketch_buckets.h"

#include <algorithm>

namespace weir {
namespace {

/// Room is made for that many at once.
constexpr std::int64_t kStep = 64;

}  // namespace

BucketCounts::Range BucketCounts::used() const {
  const auto is_used = [](std::uint64_t count) { return count != 0; };
  const auto first = std::find_if(counts_.begin(), counts_.end(), is_used);
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), is_used).base();
  if (first == counts_.end()) return {0, {}};
  const auto at = static_cast<std::size_t>(first - counts_.begin());
  return {first_ + static_cast<std::int32_t>(at),
          std::span<const std::uint64_t>(counts_).subspan(at, static_cast<std::size_t>(last - first))};
}

/// Moves the counts into a vector of the buckets from `first` to `last`; what is below goes to the first.
void BucketCounts::cover(std::int64_t first, std::int64_t last) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(last - first + 1));
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const std::int64_t bucket = first_ + static_cast<std::int64_t>(i);
    joined_ = joined_ || bucket < first;
    counts[static_cast<std::size_t>(std::max<std::int64_t>(bucket - first, 0))] += counts_[i];
  }
  first_ = static_cast<std::int32_t>(first);
  counts_ = std::move(counts);
}

void BucketCounts::add_outside(std::int32_t bucket, std::uint64_t count) {
  const Range used_now = used();
  const auto most = static_cast<std::int64_t>(most_);
  std::int64_t first = used_now.counts.empty() ? bucket : used_now.first;
  std::int64_t last =
      used_now.counts.empty() ? bucket : first + static_cast<std::int64_t>(used_now.counts.size()) - 1;
  const std::int64_t lowest = std::max<std::int64_t>(last, bucket) - most + 1;
  if (bucket < lowest) {
    // Below all that may be kept.
    cover(lowest, last);
    counts_.front() += count;
    joined_ = true;
    return;
  }
  last = std::max<std::int64_t>(last, bucket);
  first = std::max(lowest, std::min<std::int64_t>(first, bucket));
  // A little more than is needed, to the side that grows.
  if (bucket == last) {
    last = std::min(last + kStep, first + most - 1);
  } else {
    first = std::max(first - kStep, last - most + 1);
  }
  cover(first, last);
  counts_[static_cast<std::size_t>(bucket - first)] += count;
}

void BucketCounts::merge(const BucketCounts& other) {
  const Range theirs = other.used();
  const bool joined = other.joined_;
  // From above, so that nothing is moved twice.
  const std::vector<std::uint64_t> counts(theirs.counts.begin(), theirs.counts.end());
  for (std::size_t i = counts.size(); i-- > 0;) {
    if (counts[i] != 0) add(theirs.first + static_cast<std::int32_t>(i), counts[i]);
  }
  joined_ = joined_ || joined;
}

}  // namespace weir
