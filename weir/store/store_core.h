// StoreCore: the memory store, over a choice of yield points. The common request, one bucket of one word that
// is there, is decided by loads and one compare-and-swap; all others are transactions.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
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

  [[gnu::always_inline]] bool decide(std::span<const BucketAsk> asks, Nanos now,
                                     std::span<BucketVerdict> verdicts, bool veto) {
    if (asks.size() == 1 && !veto && decide_in_one_step(asks[0], now, verdicts[0])) {
      return verdicts[0].verdict.allowed || asks[0].shadow;
    }
    return decide_at_length(asks, now, verdicts, veto);
  }

  /// Many requests, as if decided one after another. While one is decided the lines of those after it are on
  /// their way: first their home lines, and when those are there, what is needed beyond them.
  void decide_many(std::span<const BucketAsk> asks, std::span<const RequestEnd> requests, Nanos now,
                   std::span<BucketVerdict> verdicts) {
    // One alone is not fetched ahead: nothing is decided meanwhile.
    std::size_t fetched = asks.size() > 1 ? 0 : asks.size();
    std::size_t followed = fetched;
    std::size_t begin = 0;
    for (const auto [end, veto] : requests) {
      for (; fetched < std::min(end + kFetchAhead, asks.size()); ++fetched) {
        const Key key(asks[fetched].bucket);
        space_.slots().prefetch(space_.slots().home_line(key));
      }
      for (; followed < std::min(end + kFollowAhead, asks.size()); ++followed) {
        space_.slots().prefetch_beyond_home(Key(asks[followed].bucket));
      }
      decide(asks.subspan(begin, end - begin), now, verdicts.subspan(begin, end - begin), veto);
      begin = end;
    }
  }

  bool peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    return Transaction<Yield>(space_, asks, now).peek(verdicts);
  }

  void refund(std::span<const BucketAsk> asks, Nanos now) { Transaction<Yield>(space_, asks, now).refund(); }

  void give_back(std::span<const BucketAsk> asks, std::span<const Charge> charges, Nanos now) {
    Transaction<Yield>(space_, asks, now).give_back(charges);
  }

  void charge(std::span<const BucketAsk> asks, Nanos now) {
    Transaction<Yield> transaction(space_, asks, now);
    count_full(transaction.charge());
    if (!asks.empty()) after(transaction.inserted(), asks[0], now);
  }

  MemoryStoreStats stats() const {
    return {.keys = space_.keys(),
            .max_keys = space_.max_keys(),
            .memory_bytes = space_.memory_bytes(),
            .limits = space_.limits().size(),
            .evictions = space_.evictions(),
            .full = full_.load(std::memory_order_relaxed)};
  }

 private:
  /// Asks whose lines are fetched before they are decided on: somewhat more than a core can wait for at
  /// once, and half of that, by when the first are there.
  static constexpr std::size_t kFetchAhead = 24;
  static constexpr std::size_t kFollowAhead = 12;
  /// Lines swept for each new bucket: what is dead is then at most about a fifth of the table.
  static constexpr std::size_t kSweepPerInsert = 2;
  /// And for one in 64 requests that change a bucket, so that dead ones go where no new ones come.
  static constexpr std::size_t kSweepNowAndThen = 2;

  enum class Step : std::uint8_t {
    done,
    /// Another thread came between.
    again,
    /// It takes more than one step. Nothing was changed.
    more,
  };

  /// Says false, with nothing changed, when it takes more.
  [[gnu::always_inline]] bool decide_in_one_step(const BucketAsk& ask, Nanos now, BucketVerdict& said) {
    const Step made = step(ask, now, said);
    if (made == Step::again) [[unlikely]]
      return keep_trying(ask, now, said);
    return made == Step::done;
  }

  [[gnu::noinline]] bool keep_trying(const BucketAsk& ask, Nanos now, BucketVerdict& said) {
    Step made = Step::again;
    for (Backoff backoff; made == Step::again; made = step(ask, now, said)) backoff.wait();
    return made == Step::done;
  }

  [[gnu::always_inline]] Step step(const BucketAsk& ask, Nanos now, BucketVerdict& said) {
    const Key key(ask.bucket);
    Line& home = space_.slots().home_line(key);
    // Ahead of the load, since a load waits for the compare-and-swap of the decision before this one.
    space_.slots().prefetch(home);
    const RegisteredLimit& limit = space_.limits()[ask.limit];
    const Slot slot = space_.slots().find(key, home);
    if (!slot) [[unlikely]] {
      return decide_unmade(limit, key, ask, now, said);
    }
    if (limit.words != 1) return Step::more;
    // The order of these loads is what makes them one: see slot_table.h.
    std::uint64_t word = slot.word().load(std::memory_order_acquire);
    Yield::point();
    if ((word & kLatched) != 0) return Step::again;
    if (slot.name().load(std::memory_order_acquire) != key.name) return Step::again;
    if (slot.owner().load(std::memory_order_acquire) != static_cast<std::uint32_t>(ask.limit)) {
      return Step::more;
    }
    const std::uint64_t veiled_by = veil(key, limit.veil);
    std::uint64_t state = word ^ veiled_by;
    limit.kernel.decide_word(state, now, ask.ask, said.verdict);
    said.full = false;
    const std::uint64_t next = state ^ veiled_by;
    Yield::point();
    if (next == word) {
      return slot.word().load(std::memory_order_acquire) == word ? Step::done : Step::again;
    }
    if (!slot.word().compare_exchange_strong(word, next, std::memory_order_acq_rel,
                                             std::memory_order_relaxed)) {
      return Step::again;
    }
    after(0, next, limit, now);
    return Step::done;
  }

  /// The bucket is not there: as long as the request would leave a fresh one fresh, none is made.
  [[gnu::noinline]] Step decide_unmade(const RegisteredLimit& limit, Key key, const BucketAsk& ask, Nanos now,
                                       BucketVerdict& said) {
    const Verdict verdict = limit.kernel.peek(State{}, local_time(limit, key, now), ask.ask.cost);
    const bool untouched = ask.ask.cost == 0 || (!verdict.allowed && !ask.ask.charge_denied);
    if (!untouched) return Step::more;
    said = {.verdict = verdict};
    return Step::done;
  }

  [[gnu::noinline]] bool decide_at_length(std::span<const BucketAsk> asks, Nanos now,
                                          std::span<BucketVerdict> verdicts, bool veto) {
    if (asks.empty()) return !veto;
    Transaction<Yield> transaction(space_, asks, now);
    const bool allowed = transaction.decide(verdicts, veto);
    for (const BucketVerdict& said : verdicts.first(asks.size())) count_full(said.full ? 1 : 0);
    after(transaction.inserted(), asks[0], now);
    return allowed;
  }

  void after(std::size_t inserted, const BucketAsk& ask, Nanos now) {
    after(inserted, ask.bucket ^ static_cast<std::uint64_t>(now), space_.limits()[ask.limit], now);
  }

  /// Sweeps, for each new bucket and now and then. `limit` is one of the request's; `chance` is anything that
  /// changes from request to request.
  void after(std::size_t inserted, std::uint64_t chance, const RegisteredLimit& limit, Nanos now) {
    if (inserted != 0) {
      sweep(kSweepPerInsert * inserted, limit, now);
    } else if (chance * kGoldenRatio >> 58U == 0) {
      sweep(kSweepNowAndThen, limit, now);
    }
  }

  [[gnu::noinline]] void sweep(std::size_t lines, const RegisteredLimit& limit, Nanos now) {
    space_.sweep(lines, limit, now);
  }

  void count_full(std::size_t count) {
    if (count != 0) full_.fetch_add(count, std::memory_order_relaxed);
  }

  BucketSpace<Yield> space_;
  std::atomic<std::uint64_t> full_{0};
};

}  // namespace weir::store
