// What each thread counts: written by that thread alone, read by whoever asks for the metrics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weir/base/time.h"
#include "weir/engine/plan.h"
#include "weir/server/options.h"

namespace weir::server {

/// A number that one thread adds to. No read-modify-write: the others only look.
class Counter {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// How long calls of the engine took, by powers of two from 1 us on.
class DurationHistogram {
 public:
  /// The last bucket has no upper end.
  static constexpr std::size_t kBuckets = 16;
  static constexpr Nanos upper_end(std::size_t bucket) { return kMicrosecond << bucket; }

  void observe(Nanos took);
  std::uint64_t in_bucket(std::size_t bucket) const { return counts_[bucket].value(); }
  Nanos sum() const { return static_cast<Nanos>(sum_.value()); }

 private:
  std::array<Counter, kBuckets> counts_;
  Counter sum_;
};

struct RuleCounters {
  /// Decisions that speak of this rule.
  Counter allowed;
  Counter denied;
  /// What the rule itself said, whatever the others did; a shadow says it, too.
  Counter verdict_allowed;
  Counter verdict_denied;
  /// No bucket could be had, and on_full decided.
  Counter full;
  /// A dimension of the key was missing: the rule did not apply, or denied.
  Counter missing_skipped;
  Counter missing_denied;
};

/// Kinds of paths and codes that are counted apart; both are few, whatever clients send.
enum class PathClass : std::uint8_t { check, auth, healthz, readyz, metrics, other };
inline constexpr std::array<const char*, 6> kPathClasses{"check",  "auth",    "healthz",
                                                         "readyz", "metrics", "other"};
inline constexpr std::array<int, 17> kCountedCodes{200, 400, 401, 403, 404, 405, 408, 413, 414,
                                                   417, 429, 431, 500, 501, 503, 505, 0};

/// The connections of one door.
struct ConnectionCounters {
  Counter accepted;
  Counter closed;
  /// Turned away at once, because there were too many. Accepted and closed, too.
  Counter refused;
  Counter bytes_read;
  Counter bytes_written;
  Counter timeouts;
};

struct HttpCounters {
  std::array<std::array<Counter, kCountedCodes.size()>, kPathClasses.size()> requests;

  void count(PathClass path, int code);
};

/// One thread's.
class ThreadCounters {
 public:
  /// Decisions that speak of no rule.
  Counter without_rule;
  Counter checks;
  DurationHistogram decide_time;
  HttpCounters http;

  ConnectionCounters& connections(DoorKind door) { return connections_[static_cast<std::size_t>(door)]; }
  const ConnectionCounters& connections(DoorKind door) const {
    return connections_[static_cast<std::size_t>(door)];
  }

  /// What rules are counted by from now on; when it is another than before, rules keep their counters by
  /// name.
  void use(const std::shared_ptr<const Plan>& plan) {
    if (plan != plan_) change(plan);
  }
  /// The counters of the rule with this number. REQUIRES: use().
  RuleCounters& rule(std::uint32_t number) { return *by_number_[number]; }

  /// Calls `visit(name, counters)` for each rule, from any thread.
  template <class Visit>
  void visit_rules(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, counters] : rules_) visit(name, counters);
  }

 private:
  void change(const std::shared_ptr<const Plan>& plan);

  std::array<ConnectionCounters, kDoorNames.size()> connections_;
  /// Owned: the address of one that is gone could be that of the next.
  std::shared_ptr<const Plan> plan_;
  std::vector<RuleCounters*> by_number_;
  mutable std::mutex mutex_;  // guards the shape of rules_
  std::map<std::string, RuleCounters> rules_;
};

}  // namespace weir::server
