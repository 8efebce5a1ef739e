// A client of one limit in a memory store, for tests.
#pragma once

#include <cstdint>

#include "weir/store/memory_store.h"

namespace weir::test {

inline constexpr Nanos kStart = 1'700'000'000 * kSecond;

inline MemoryStoreOptions small(std::size_t max_keys, std::size_t max_memory = std::size_t{16} << 20U) {
  return {.max_keys = max_keys, .max_memory = max_memory, .frame = TimeFrame::starting_at(kStart)};
}

inline Limit limit_of(Algorithm algorithm, std::uint64_t quota, Nanos per) {
  return {.algorithm = algorithm, .quota = quota, .per = per};
}

/// One ask of one bucket.
struct Client {
  MemoryStore& store;
  LimitId limit;

  BucketVerdict decide(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1,
                       bool allow_when_full = false) {
    const BucketAsk ask{
        .bucket = bucket, .limit = limit, .ask = {.cost = cost}, .allow_when_full = allow_when_full};
    BucketVerdict said;
    store.decide({&ask, 1}, now, {&said, 1});
    return said;
  }
  bool admits(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1) {
    return decide(bucket, now, cost).verdict.allowed;
  }
  Verdict peek(std::uint64_t bucket, Nanos now, std::uint64_t cost = 1) {
    const BucketAsk ask{.bucket = bucket, .limit = limit, .ask = {.cost = cost}};
    BucketVerdict said;
    store.peek({&ask, 1}, now, {&said, 1});
    return said.verdict;
  }
};

}  // namespace weir::test
