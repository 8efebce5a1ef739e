// One request -> its rules -> one atomic decision.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "weir/base/hash.h"
#include "weir/engine/decision.h"
#include "weir/engine/plan.h"
#include "weir/limit/charge.h"
#include "weir/policy/policy.h"
#include "weir/store/memory_store.h"

namespace weir {

/// What each rule said, beside the decision. One per thread; once warm, deciding allocates nothing.
/// After a batch it speaks of the last request. Keeps the policy that it was last used with alive.
struct Trace {
  Matches matches;
  /// One for each of matches.rules(). A rule whose key is missing with `on_missing: deny` has a denial
  /// without a wait; one whose override lifts it, an admission with a limit of 0.
  std::vector<BucketVerdict> verdicts;
  // The engine's own room.
  std::vector<BucketAsk> asks;
  /// For each rule of each request the index of its ask, and kNoAsk where it has none.
  std::vector<std::uint32_t> ask_of;
  struct Met {
    std::uint32_t rule;
    std::uint32_t limit;
    bool missing;
  };
  /// What all requests of the last call (of a batch: its last Engine::kBatch) met, for those who count.
  std::vector<Met> met;
  /// The rules that those requests would have met if they had had the dimensions of its key.
  std::vector<std::uint32_t> skipped;
  /// What the store said, one for each of `asks`.
  std::vector<BucketVerdict> said;
  std::vector<RequestEnd> requests;
  /// Where the rules of each request end in `met` and `ask_of`.
  std::vector<std::size_t> met_ends;
  std::shared_ptr<const Plan> plan;

  static constexpr std::uint32_t kNoAsk = ~std::uint32_t{0};
};

/// What a decision has charged, bucket by bucket, to be given back later.
struct Charged {
  /// Places in queues (of a leaky_bucket) come last, and are `places`.
  std::vector<BucketAsk> asks;
  std::size_t places = 0;
  std::vector<Charge> charges;
  /// Keeps the limits registered.
  std::shared_ptr<const Plan> plan;
};

struct EngineOptions {
  MemoryStoreOptions store;
  /// What keys are hashed under.
  HashSecret secret = HashSecret::random();
};

/// All functions are safe from any thread, each thread with a Trace of its own.
class Engine {
 public:
  /// Requests that are matched before the first of them is decided, so that their buckets can be fetched
  /// together. More at once gain nothing.
  static constexpr std::size_t kBatch = 32;

  /// Throws std::invalid_argument when no store fits the options.
  Engine(std::shared_ptr<const Policy> policy, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Decides and charges. A request that no rule holds is allowed.
  Decision decide(const Request& request, Nanos now, Trace& trace);
  /// Many requests of one instant, in their order. REQUIRES: decisions.size() == requests.size().
  void decide(std::span<const Request> requests, Nanos now, std::span<Decision> decisions, Trace& trace);
  /// For whoever waits: all that the request meets is charged, or nothing is, whatever decide would charge to
  /// a request that is denied (charge_denied, shadows, `charging: each`). What would be delayed longer than
  /// `most_delay` is not had either: the delay is then its retry_after.
  Decision admit(const Request& request, Nanos now, Nanos most_delay, Trace& trace);
  /// What admit has charged, by the trace that it was last called with at `now`. `admitted`: what it said; if
  /// not, a race for the last of it may have charged shadows.
  static Charged charged(const Trace& trace, bool admitted, Nanos now);
  /// What decide would say, without changing anything.
  Decision peek(const Request& request, Nanos now, Trace& trace);
  /// Gives the request's cost back to all its rules, at one instant; each stops at its capacity.
  void refund(const Request& request, Nanos now, Trace& trace);
  /// Takes the request's cost from all its rules, whatever is left, at one instant.
  void charge(const Request& request, Nanos now, Trace& trace);

  /// For asks that a Trace has kept from a decision, whatever rules the request would meet now: as
  /// MemoryStore does. The asks' limits stay registered as long as their plan is kept.
  void give_back(std::span<const BucketAsk> asks, std::span<const Charge> charges, Nanos now) {
    store_->give_back(asks, charges, now);
  }
  void charge(std::span<const BucketAsk> asks, Nanos now) { store_->charge(asks, now); }

  /// Changes the policy at once for all later requests. Buckets keep what they have used under a new quota or
  /// burst; a rule with another key, algorithm or period starts afresh. Throws what MemoryStore::add throws,
  /// and has then changed nothing.
  void reload(std::shared_ptr<const Policy> policy, Nanos now);

  std::shared_ptr<const Policy> policy() const;
  /// The same without a lock as long as it does not change; valid until `trace` is next used.
  const Policy& policy(Trace& trace) const { return enter(trace).policy(); }
  MemoryStoreStats store_stats() const { return store_->stats(); }

 private:
  const Plan& enter(Trace& trace) const;
  void meet(const Plan& plan, const Request& request, Trace& trace) const;
  Decision tell(const Plan& plan, std::size_t request, Trace& trace) const;
  void decide_batch(const Plan& plan, std::span<const Request> requests, Nanos now,
                    std::span<Decision> decisions, Trace& trace);

  std::shared_ptr<MemoryStore> store_;
  HashSecret secret_;
  mutable std::mutex reload_;  // guards rooms_ and plan_
  RoomNumbers rooms_;
  std::shared_ptr<const Plan> plan_;
  /// plan_.get(), for readers without the mutex. Compared, never followed: a Trace that holds a plan keeps
  /// its address from meaning another one.
  std::atomic<const Plan*> current_;
};

}  // namespace weir
