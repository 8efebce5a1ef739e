// StoreCore: the memory store, over a choice of yield points. The common request, one bucket of one word that
// is there, is decided by loads and one compare-and-swap; all others are transactions.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "weir/store/memory_store.h"
#include "weir/store/transaction.h"

namespace weir::store {

template <class Yield = NoYield>
class StoreCore {
 public:
  explicit StoreCore(const MemoryStoreOptions& options) : space_(SpaceSizes(options), options.frame) {}

  LimitId add(const Limit& limit, std::uint32_t room, Nanos since) {
    return space_.limits().add(limit, room, since);
  }
  void remove(LimitId id) { space_.limits().remove(id); }

  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts, bool veto) {
    if (asks.size() == 1 && !veto) {
      if (const auto verdict = decide_in_one_step(asks[0], now)) {
        verdicts[0] = {.verdict = *verdict};
        return verdict->allowed || asks[0].shadow;
      }
    }
    if (asks.empty()) return !veto;
    Transaction<Yield> transaction(space_, asks, now);
    const bool allowed = transaction.decide(verdicts, veto);
    for (const BucketVerdict& said : verdicts.first(asks.size())) count_full(said.full ? 1 : 0);
    after(transaction.inserted(), asks[0].bucket ^ static_cast<std::uint64_t>(now), now);
    return allowed;
  }

  bool peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    return Transaction<Yield>(space_, asks, now).peek(verdicts);
  }

  void refund(std::span<const BucketAsk> asks, Nanos now) { Transaction<Yield>(space_, asks, now).refund(); }

  void charge(std::span<const BucketAsk> asks, Nanos now) {
    Transaction<Yield> transaction(space_, asks, now);
    count_full(transaction.charge());
    after(transaction.inserted(), 0, now);
  }

  void prefetch(std::uint64_t bucket) const { space_.slots().prefetch(Key(bucket)); }

  MemoryStoreStats stats() const {
    return {.keys = space_.keys(),
            .max_keys = space_.max_keys(),
            .memory_bytes = space_.memory_bytes(),
            .limits = space_.limits().size(),
            .evictions = space_.evictions(),
            .full = full_.load(std::memory_order_relaxed)};
  }

 private:
  /// Lines swept for each new bucket: what is dead is then at most about a fifth of the table.
  static constexpr std::size_t kSweepPerInsert = 2;
  /// And for one in 64 requests that change a bucket, so that dead ones go where no new ones come.
  static constexpr std::size_t kSweepNowAndThen = 2;

  /// Nothing when it takes a transaction.
  std::optional<Verdict> decide_in_one_step(const BucketAsk& ask, Nanos now) {
    const RegisteredLimit& limit = space_.limits()[ask.limit];
    const Key key(ask.bucket);
    const std::uint64_t veiled_by = veil(key, limit.veil);
    for (Backoff backoff;; backoff.wait()) {
      const Slot slot = space_.slots().find(key);
      if (!slot) return decide_unmade(limit, key, ask, now);
      if (limit.words != 1) return std::nullopt;
      // The order of these loads is what makes them one: see slot_table.h.
      std::uint64_t word = slot.word().load(std::memory_order_acquire);
      Yield::point();
      if ((word & kLatched) != 0) continue;
      if (slot.name().load(std::memory_order_acquire) != key.name) continue;
      if (slot.owner().load(std::memory_order_acquire) != static_cast<std::uint32_t>(ask.limit)) {
        return std::nullopt;
      }
      State state{.word = {word ^ veiled_by, 0, 0}};
      const Verdict verdict = limit.kernel.decide(state, now, ask.ask);
      const std::uint64_t next = state.word[0] ^ veiled_by;
      Yield::point();
      if (next == word) {
        if (slot.word().load(std::memory_order_acquire) == word) return verdict;
        continue;
      }
      if (slot.word().compare_exchange_strong(word, next, std::memory_order_acq_rel,
                                              std::memory_order_relaxed)) {
        after(0, next, now);
        return verdict;
      }
    }
  }

  /// The bucket is not there: as long as the request would leave a fresh one fresh, none is made.
  std::optional<Verdict> decide_unmade(const RegisteredLimit& limit, const Key& key, const BucketAsk& ask,
                                       Nanos now) {
    const Verdict verdict = limit.kernel.peek(State{}, local_time(limit, key, now), ask.ask.cost);
    const bool untouched = ask.ask.cost == 0 || (!verdict.allowed && !ask.ask.charge_denied);
    return untouched ? std::optional(verdict) : std::nullopt;
  }

  void after(std::size_t inserted, std::uint64_t chance, Nanos now) {
    if (inserted != 0) {
      space_.sweep(kSweepPerInsert * inserted, now);
    } else if (spread(chance) % 64 == 0) {
      space_.sweep(kSweepNowAndThen, now);
    }
  }

  void count_full(std::size_t count) {
    if (count != 0) full_.fetch_add(count, std::memory_order_relaxed);
  }

  BucketSpace<Yield> space_;
  std::atomic<std::uint64_t> full_{0};
};

}  // namespace weir::store
