#include "weir/store/memory_store.h"

#include "weir/store/store_core.h"

namespace weir {

class MemoryStore::Core : public store::StoreCore<> {
 public:
  using StoreCore::StoreCore;
};

MemoryStore::MemoryStore(MemoryStoreOptions options) : core_(std::make_unique<Core>(options)) {}
MemoryStore::~MemoryStore() = default;

LimitId MemoryStore::add(const Limit& limit, std::uint32_t room, Nanos since) {
  return core_->add(limit, room, since);
}

void MemoryStore::remove(LimitId id) {
  core_->remove(id);
}

bool MemoryStore::decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts,
                         bool veto) {
  return core_->decide(asks, now, verdicts, veto);
}

bool MemoryStore::decide_each(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
  bool allowed = true;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    allowed = core_->decide(asks.subspan(i, 1), now, verdicts.subspan(i, 1), false) && allowed;
  }
  return allowed;
}

void MemoryStore::decide_many(std::span<const BucketAsk> asks, std::span<const RequestEnd> requests,
                              Nanos now, std::span<BucketVerdict> verdicts) {
  core_->decide_many(asks, requests, now, verdicts);
}

bool MemoryStore::peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
  return core_->peek(asks, now, verdicts);
}

void MemoryStore::refund(std::span<const BucketAsk> asks, Nanos now) {
  core_->refund(asks, now);
}

void MemoryStore::give_back(std::span<const BucketAsk> asks, std::span<const Charge> charges, Nanos now) {
  core_->give_back(asks, charges, now);
}

void MemoryStore::charge(std::span<const BucketAsk> asks, Nanos now) {
  core_->charge(asks, now);
}

MemoryStoreStats MemoryStore::stats() const {
  return core_->stats();
}

}  // namespace weir
