// Buckets in this process's memory: one table for all rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "weir/limit/kernel.h"

namespace weir {

/// Names a registered limit; its buckets are decoded by it.
enum class LimitId : std::uint32_t {};

/// What one request asks of one bucket.
struct BucketAsk {
  /// The bucket: 64 bits of a keyed hash. Two asks of one request may name the same bucket; they are then
  /// evaluated one after the other.
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
  /// No bucket could be had; `verdict` follows allow_when_full. A denied one's retry_after is when a bucket
  /// that was looked at makes room, if nothing else comes; where none of those does it is an estimate, 1 s.
  /// Nothing (never) only when the request alone needs more buckets or memory than the store has.
  bool full = false;
};

/// Where a request of a batch ends: its asks are those from the end of the one before it.
struct RequestEnd {
  std::uint32_t end;
  /// The request is denied already, for a reason that the store does not know.
  bool veto = false;
};

struct MemoryStoreOptions {
  /// Buckets at the most.
  std::size_t max_keys = 1'000'000;
  /// Bytes at the most, table and logs together: 88 to 64 TiB. Where it is too little for max_keys, there are
  /// fewer keys.
  std::size_t max_memory = std::size_t{1} << 30U;
  TimeFrame frame;
};

/// What is wrong with the options, in a sentence that begins with the name of the one: no table fits them.
std::optional<std::string> find_error(const MemoryStoreOptions& options);

/// Figures of a store. Taken one by one while others work, so they may be some requests apart.
struct MemoryStoreStats {
  /// Buckets in the table, and the most there can be.
  std::size_t keys = 0;
  std::size_t max_keys = 0;
  /// The table, and what blocks and logs use of the arena; never above max_memory.
  std::size_t memory_bytes = 0;
  /// Limits registered, those included that only old buckets still use.
  std::size_t limits = 0;
  /// Buckets dropped because they were as good as new, ever.
  std::uint64_t evictions = 0;
  /// Asks for which no bucket could be had, ever.
  std::uint64_t full = 0;
};

/// All functions are safe from any thread, and requests get what they would have got in some order, one after
/// another. `now` may differ a little between threads: nothing is minted.
class MemoryStore {
 public:
  /// Throws std::invalid_argument with the sentence of find_error(), and std::bad_alloc when the system
  /// refuses the memory, which it gives as it is used.
  explicit MemoryStore(MemoryStoreOptions options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Registers a limit. Limits in one `room` share the room's guaranteed part of the table: a rule is a room.
  /// The same limit in the same room gets the same id, which then wants as many calls of remove().
  /// `since`: where the limit takes over from another, a bucket has used what it had used then; left out,
  /// when it is next asked for. Throws std::invalid_argument when the limit is not valid, std::length_error
  /// above a million limits.
  LimitId add(const Limit& limit, std::uint32_t room, Nanos since = kForever);
  /// No ask names the id any more. Its buckets stay until they are as good as new or asked for under another
  /// limit, which takes over what they have used; then the id is used again.
  void remove(LimitId id);

  /// One request: all of its asks are admitted, or none is charged. Fills a verdict for each ask: what its
  /// bucket said. Says whether all asks but the shadows were admitted.
  ///
  /// A denied request leaves no trace, with two exceptions: an ask that was itself denied and says
  /// charge_denied is charged into debt, and a shadow that was itself admitted is charged. `veto`: the
  /// request is denied already, for a reason that the store does not know. REQUIRES: verdicts.size() ==
  /// asks.size().
  bool decide(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts,
              bool veto = false);
  /// The same, each ask for itself: what is admitted is charged, whatever the others say.
  bool decide_each(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts);
  /// Many requests in one call, as if decided one after another.
  void decide_many(std::span<const BucketAsk> asks, std::span<const RequestEnd> requests, Nanos now,
                   std::span<BucketVerdict> verdicts);
  /// What decide would say; changes nothing and needs no room.
  bool peek(std::span<const BucketAsk> asks, Nanos now, std::span<BucketVerdict> verdicts);
  /// Gives back each ask's cost, all at one instant; stops at capacity.
  void refund(std::span<const BucketAsk> asks, Nanos now);
  /// Gives back each ask's cost of the charge that it was part of, as far as that still weighs on its bucket
  /// (see Kernel::give_back), all at one instant. A bucket that is not there gets nothing.
  /// REQUIRES: charges.size() == asks.size(), and each ask costs at most what its charge does.
  void give_back(std::span<const BucketAsk> asks, std::span<const Charge> charges, Nanos now);
  /// Takes each ask's cost whatever is left, all at one instant; into debt of at most one capacity. An ask
  /// for which no bucket can be had is not charged, and counts as full.
  void charge(std::span<const BucketAsk> asks, Nanos now);

  MemoryStoreStats stats() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace weir
