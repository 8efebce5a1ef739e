// What a store of buckets should do, told as plainly as can be: one exact oracle per bucket, one request
// after another, no limit on memory. A request is first asked and then charged, so that all or nothing is
// plain.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/oracle.h"
#include "weir/limit/kernel.h"
#include "weir/store/memory_store.h"

namespace weir::test {

class StoreModel {
 public:
  void add(LimitId id, const Limit& limit) { limits_.emplace(id, limit); }

  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts,
              bool veto = false) {
    bool allowed = !veto;
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (asks[i].shadow) continue;
      verdicts[i] = {.verdict = bucket(asks[i]).peek(local(asks[i], now), cost_with_earlier(asks, i))};
      allowed = allowed && verdicts[i].verdict.allowed;
    }
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (!asks[i].shadow) settle(asks[i], now, allowed, verdicts[i]);
    }
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (asks[i].shadow) verdicts[i] = {.verdict = bucket(asks[i]).decide(local(asks[i], now), asks[i].ask)};
    }
    return allowed;
  }

  bool peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    bool allowed = true;
    for (std::size_t i = 0; i < asks.size(); ++i) {
      const std::uint64_t cost = asks[i].shadow ? asks[i].ask.cost : cost_with_earlier(asks, i);
      verdicts[i] = {.verdict = bucket(asks[i]).peek(local(asks[i], now), cost)};
      allowed = allowed && (asks[i].shadow || verdicts[i].verdict.allowed);
    }
    return allowed;
  }

  void refund(std::span<const BucketAsk> asks, Nanos now) {
    for (const BucketAsk& ask : asks) bucket(ask).refund(local(ask, now), ask.ask.cost);
  }
  void charge(std::span<const BucketAsk> asks, Nanos now) {
    for (const BucketAsk& ask : asks) bucket(ask).charge(local(ask, now), ask.ask.cost);
  }

 private:
  Oracle& bucket(const BucketAsk& ask) {
    auto& found = buckets_[ask.bucket];
    if (!found) found = std::make_unique<Oracle>(limits_.at(ask.limit));
    return *found;
  }

  Nanos local(const BucketAsk& ask, Nanos now) const {
    return saturating_sub(now, Kernel(limits_.at(ask.limit), {}).phase(ask.bucket));
  }

  static std::uint64_t cost_with_earlier(std::span<const BucketAsk> asks, std::size_t i) {
    std::uint64_t cost = asks[i].ask.cost;
    if (cost == 0) return 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (asks[j].shadow || asks[j].bucket != asks[i].bucket) continue;
      if (__builtin_add_overflow(cost, asks[j].ask.cost, &cost)) return ~std::uint64_t{0};
    }
    return cost;
  }

  void settle(const BucketAsk& ask, Nanos now, bool allowed, BucketVerdict& said) {
    const bool owes = !said.verdict.allowed && ask.ask.charge_denied;
    if (!allowed && !owes) return;
    const Verdict after = bucket(ask).decide(local(ask, now), ask.ask);
    if (after.allowed == said.verdict.allowed) said.verdict = after;
  }

  std::map<LimitId, Limit> limits_;
  std::map<std::uint64_t, std::unique_ptr<Oracle>> buckets_;
};

}  // namespace weir::test
