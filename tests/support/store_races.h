// What tests of a store's races share: threads that start together, points at which they change places, and a
// store that is wrong on purpose, on which those tests must fail.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "tests/support/bucket.h"
#include "weir/store/memory_store.h"

namespace weir::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// Fewer repeats where each of them takes ten times as long.
constexpr int effort(int repeats) {
  return kSanitized ? (repeats + 9) / 10 : repeats;
}

/// Gives the core away at random points, so that two cores meet in many more ways than their clocks would
/// bring about.
struct SeededYield {
  static void seed(std::uint64_t value) { state() = value * 2 + 1; }
  static void point() {
    std::uint64_t& x = state();
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
    if (x % 16 == 0) std::this_thread::yield();
    if (x % 16 == 1) {
      for (std::uint64_t i = 0; i < (x >> 32U) % 256; ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }

 private:
  static std::uint64_t& state() {
    thread_local std::uint64_t x = 1;
    return x;
  }
};

/// Runs body(thread, round) on each thread for each round; no thread begins a round before all have ended the
/// one before it. `between(round)` runs alone after each round.
template <class Body, class Between>
void race(int threads, int rounds, Body body, Between between) {
  int finished = 0;
  const auto next = [&]() noexcept { between(finished++); };
  std::barrier gate(threads, next);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      SeededYield::seed(static_cast<std::uint64_t>(t));
      for (int round = 0; round < rounds; ++round) {
        body(t, round);
        gate.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
}

/// Looks first and charges later, as limiters made of two calls to a store do.
class CheckThenAddStore {
 public:
  explicit CheckThenAddStore(MemoryStoreOptions) {}

  LimitId add(const Limit& limit, std::uint32_t) {
    limits_.push_back(limit);
    return static_cast<LimitId>(limits_.size() - 1);
  }

  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts) {
    bool allowed = true;
    for (std::size_t i = 0; i < asks.size(); ++i) {
      const std::lock_guard lock(mutex_);
      verdicts[i] = {.verdict = bucket(asks[i]).peek(now, asks[i].ask.cost)};
      allowed = allowed && verdicts[i].verdict.allowed;
    }
    SeededYield::point();
    for (std::size_t i = 0; allowed && i < asks.size(); ++i) {
      const std::lock_guard lock(mutex_);
      bucket(asks[i]).charge(now, asks[i].ask.cost);
    }
    return allowed;
  }

 private:
  Bucket& bucket(const BucketAsk& ask) {
    return buckets_.try_emplace(ask.bucket, limits_[static_cast<std::size_t>(ask.limit)]).first->second;
  }

  std::mutex mutex_;
  std::vector<Limit> limits_;
  std::map<std::uint64_t, Bucket> buckets_;
};

}  // namespace weir::test
