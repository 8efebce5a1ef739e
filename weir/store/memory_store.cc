#include "weir/store/memory_store.h"

#include <deque>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace weir {

class MemoryStore::Core {
 public:
  struct Bucket {
    LimitId owner{};
    State state;
    std::vector<LogEntry> ring;
    void adopt(std::vector<LogEntry> larger) {
      SlidingLog::move_to(state, larger);
      ring = std::move(larger);
    }
  };

  explicit Core(MemoryStoreOptions options) : options_(options) {}

  LimitId add(const Limit& limit) {
    const std::lock_guard lock(mutex_);
    kernels_.emplace_back(limit, options_.frame);
    return static_cast<LimitId>(kernels_.size() - 1);
  }

  const Kernel& kernel(LimitId id) const { return kernels_[static_cast<std::uint32_t>(id)]; }

  Bucket copy(const BucketAsk& ask, Nanos now) {
    Bucket bucket{.owner = ask.limit, .state = {}, .ring = {}};
    if (const auto found = buckets_.find(ask.bucket); found != buckets_.end()) {
      bucket = found->second;
      bucket.state.ring = bucket.ring;
    }
    if (bucket.owner != ask.limit) {
      kernel(ask.limit).carry(kernel(bucket.owner), bucket.state, now);
      bucket.owner = ask.limit;
    }
    while (kernel(ask.limit).needs_room(bucket.state, now)) {
      bucket.adopt(std::vector<LogEntry>(bucket.ring.empty() ? 4 : bucket.ring.size() * 2));
    }
    return bucket;
  }

  void put(std::uint64_t name, Bucket bucket, Nanos now) {
    if (kernel(bucket.owner).fresh(bucket.state, now)) {
      buckets_.erase(name);
      return;
    }
    Bucket& slot = buckets_[name];
    slot = std::move(bucket);
    slot.state.ring = slot.ring;
  }

  Nanos local(const BucketAsk& ask, Nanos now) const {
    return saturating_sub(now, kernel(ask.limit).phase(ask.bucket));
  }

  void decide_one(const BucketAsk& ask, Nanos now, BucketVerdict& out) {
    const Nanos at = local(ask, now);
    Bucket bucket = copy(ask, at);
    out = {.verdict = kernel(ask.limit).decide(bucket.state, at, ask.ask)};
    if (buckets_.contains(ask.bucket) || buckets_.size() < options_.max_keys) {
      put(ask.bucket, std::move(bucket), at);
    } else if (!kernel(ask.limit).fresh(bucket.state, at)) {
      out.full = true;
      out.verdict.allowed = ask.allow_when_full;
      if (!ask.allow_when_full) out.verdict.retry_after = kSecond;
    }
  }

  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts, bool veto,
              bool commit) {
    const std::lock_guard lock(mutex_);
    const Saved before = save(asks);
    bool allowed = !veto;
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (asks[i].shadow) continue;
      decide_one(asks[i], now, verdicts[i]);
      allowed = allowed && verdicts[i].verdict.allowed;
    }
    if (!allowed) restore(before);
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (asks[i].shadow) decide_one(asks[i], now, verdicts[i]);
      if (!asks[i].shadow && !verdicts[i].verdict.allowed && asks[i].ask.charge_denied) {
        decide_one(asks[i], now, verdicts[i]);
      }
    }
    if (!commit) restore(before);
    return allowed;
  }

  template <class Operation>
  void for_each(std::span<const BucketAsk> asks, Nanos now, Operation operation) {
    const std::lock_guard lock(mutex_);
    for (const BucketAsk& ask : asks) {
      const Nanos at = local(ask, now);
      Bucket bucket = copy(ask, at);
      operation(kernel(ask.limit), bucket.state, at, ask.ask.cost);
      put(ask.bucket, std::move(bucket), at);
    }
  }

  MemoryStoreStats stats() {
    const std::lock_guard lock(mutex_);
    return {.keys = buckets_.size(), .max_keys = options_.max_keys, .limits = kernels_.size()};
  }

 private:
  using Saved = std::vector<std::pair<std::uint64_t, std::optional<Bucket>>>;

  Saved save(std::span<const BucketAsk> asks) const {
    Saved saved;
    for (const BucketAsk& ask : asks) {
      const auto found = buckets_.find(ask.bucket);
      saved.emplace_back(ask.bucket, found == buckets_.end() ? std::nullopt : std::optional(found->second));
    }
    return saved;
  }

  void restore(const Saved& saved) {
    for (const auto& [name, bucket] : saved) {
      if (!bucket) {
        buckets_.erase(name);
        continue;
      }
      Bucket& slot = buckets_[name];
      slot = *bucket;
      slot.state.ring = slot.ring;
    }
  }

  MemoryStoreOptions options_;
  std::mutex mutex_;
  std::deque<Kernel> kernels_;
  std::unordered_map<std::uint64_t, Bucket> buckets_;
};

MemoryStore::MemoryStore(MemoryStoreOptions options) : core_(std::make_unique<Core>(options)) {}
MemoryStore::~MemoryStore() = default;

LimitId MemoryStore::add(const Limit& limit, std::uint32_t, Nanos) {
  return core_->add(limit);
}
void MemoryStore::remove(LimitId) {}

bool MemoryStore::decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts,
                         bool veto) {
  return core_->decide(asks, now, verdicts, veto, true);
}

bool MemoryStore::decide_each(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
  bool allowed = true;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    allowed = decide(asks.subspan(i, 1), now, verdicts.subspan(i, 1)) && allowed;
  }
  return allowed;
}

void MemoryStore::decide_many(std::span<const BucketAsk> asks, std::span<const RequestEnd> requests,
                              Nanos now, std::span<BucketVerdict> verdicts) {
  std::size_t begin = 0;
  for (const auto [end, veto] : requests) {
    decide(asks.subspan(begin, end - begin), now, verdicts.subspan(begin, end - begin), veto);
    begin = end;
  }
}

bool MemoryStore::peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
  return core_->decide(asks, now, verdicts, false, false);
}

void MemoryStore::refund(std::span<const BucketAsk> asks, Nanos now) {
  core_->for_each(asks, now, [](const Kernel& kernel, State& state, Nanos at, std::uint64_t cost) {
    kernel.refund(state, at, cost);
  });
}

void MemoryStore::charge(std::span<const BucketAsk> asks, Nanos now) {
  core_->for_each(asks, now, [](const Kernel& kernel, State& state, Nanos at, std::uint64_t cost) {
    kernel.charge(state, at, cost);
  });
}

MemoryStoreStats MemoryStore::stats() const {
  return core_->stats();
}

}  // namespace weir
