#include "weir/server/metrics/counters.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_set>

#include "weir/policy/policy.h"

namespace weir::server {

void DurationHistogram::observe(Nanos took) {
  const auto micros = static_cast<std::uint64_t>(std::max<Nanos>(took - 1, 0) / kMicrosecond);
  const auto bucket = static_cast<std::size_t>(std::bit_width(micros));
  counts_[std::min(bucket, kBuckets - 1)].add();
  sum_.add(static_cast<std::uint64_t>(std::max<Nanos>(took, 0)));
}

void HttpCounters::count(PathClass path, int code) {
  const auto at = std::find(kCountedCodes.begin(), kCountedCodes.end() - 1, code);
  requests[static_cast<std::size_t>(path)][static_cast<std::size_t>(at - kCountedCodes.begin())].add();
}

/// Rules that are gone take their counters with them, so that reloads can't pile them up.
void ThreadCounters::change(const std::shared_ptr<const Plan>& plan) {
  const Policy& policy = plan->policy();
  std::unordered_set<std::string_view> names;
  for (const Rule& rule : policy.rules()) names.insert(rule.name);
  const std::lock_guard lock(mutex_);
  std::erase_if(rules_, [&](const auto& each) { return !names.contains(each.first); });
  by_number_.clear();
  for (const Rule& rule : policy.rules()) by_number_.push_back(&rules_[rule.name]);
  plan_ = plan;
}

}  // namespace weir::server
