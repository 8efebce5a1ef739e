// Buckets in this process's memory: one table for all rules.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "weir/limit/kernel.h"

namespace weir {

/// Names a registered limit; its buckets are decoded by it.
enum class LimitId : std::uint32_t {};

/// What one request asks of one bucket.
struct BucketAsk {
  /// The bucket: 64 bits of a keyed hash. Two asks of one request may name the same bucket.
  std::uint64_t bucket;
  LimitId limit;
  Ask ask;
  /// When the table is full and the bucket not in it: allow instead of deny.
  bool allow_when_full = false;
  /// A shadow: decided and charged on its own, without a say in the outcome.
  bool shadow = false;
};

struct BucketVerdict {
  Verdict verdict;
  /// No bucket could be had; `verdict` follows allow_when_full.
  bool full = false;
};

struct MemoryStoreOptions {
  /// Buckets at the most.
  std::size_t max_keys = 1'000'000;
  /// Bytes at the most, table and logs together.
  std::size_t max_memory = std::size_t{1} << 30U;
  TimeFrame frame;
};

class MemoryStore {
 public:
  explicit MemoryStore(MemoryStoreOptions options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Registers a limit. Limits in one `room` share the room's guaranteed part of the table: a rule is a room.
  LimitId add(const Limit& limit, std::uint32_t room);

  /// One request: all of its asks are admitted, or none is charged (shadows aside). Fills a verdict for each
  /// ask: what its bucket said. Safe from any thread; as if requests came one after another in some order.
  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts);
};

}  // namespace weir
