// One request -> its rules -> one atomic decision.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "weir/base/hash.h"
#include "weir/policy/policy.h"
#include "weir/store/memory_store.h"

namespace weir {

struct Decision {
  bool allowed = true;
  /// Into Policy::rules(): denied, the violated rule with the longest wait; allowed, the one with the
  /// smallest remaining/limit; nothing when no rule (shadows aside) applies.
  std::optional<std::uint32_t> rule;
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;
  /// 0 when allowed, nothing for never.
  std::optional<Nanos> retry_after = 0;
  Nanos reset_after = 0;
  /// The longest wait that a leaky_bucket of its rules asks for.
  Nanos delay = 0;
  Action action = Action::deny;
};

/// What each rule said, beside the decision. One per thread; once warm, deciding allocates nothing.
struct Trace {
  Matches matches;
  /// One for each of matches.rules(). A rule whose key is missing with `on_missing: deny` has a denial
  /// without a wait.
  std::vector<BucketVerdict> verdicts;
  // The engine's own room.
  std::vector<BucketAsk> asks;
  std::vector<std::uint32_t> ask_of;
};

struct EngineOptions {
  MemoryStoreOptions store;
  /// What keys are hashed under.
  HashSecret secret = HashSecret::random();
};

class Engine {
 public:
  Engine(std::shared_ptr<const Policy> policy, EngineOptions options);
  ~Engine();

  /// Decides and charges. Thread-safe.
  Decision decide(const Request& request, Nanos now, Trace& trace);
  /// Many requests of one instant, in their order. REQUIRES: decisions.size() == requests.size().
  void decide(std::span<const Request> requests, Nanos now, std::span<Decision> decisions, Trace& trace);
  /// What decide would say, without changing anything.
  Decision peek(const Request& request, Nanos now, Trace& trace);
  void refund(const Request& request, Nanos now, Trace& trace);
  void charge(const Request& request, Nanos now, Trace& trace);

  /// Changes the policy at once for all later requests. Buckets keep what they have used under a new quota or
  /// burst; a rule with another key, algorithm or period starts afresh.
  void reload(std::shared_ptr<const Policy> policy, Nanos now);

  std::shared_ptr<const Policy> policy() const;
};

}  // namespace weir
