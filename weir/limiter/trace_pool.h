// Traces for the threads that happen to be in a limiter: each takes one for a call and gives it back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/store/spin.h"

namespace weir::limiter {

/// Names that stay where they are for as long as the limiter is there: one for each that was ever used.
class Names {
 public:
  std::string_view keep(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return *names_.insert(name).first;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> names_;
};

/// A Trace, and the names of the rules of the plan that it was last used with.
struct Desk {
  Trace trace;
  std::shared_ptr<const Plan> plan;
  std::vector<std::string_view> names;

  std::string_view name_of(std::uint32_t rule, Names& kept) {
    if (plan != trace.plan) {
      plan = trace.plan;
      names.clear();
      for (const Rule& known : plan->policy().rules()) names.push_back(kept.keep(known.name));
    }
    return names[rule];
  }
};

class TracePool {
  struct alignas(64) Place {
    std::atomic<bool> taken{false};
    Desk desk;
  };

 public:
  /// Holds a desk of the pool; waits while all are taken.
  class Lease {
   public:
    explicit Lease(TracePool& pool) : place_(pool.take()) {}
    ~Lease() { place_.taken.store(false, std::memory_order_release); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Desk& operator*() const { return place_.desk; }
    Desk* operator->() const { return &place_.desk; }

   private:
    Place& place_;
  };

 private:
  static constexpr std::size_t kPlaces = 64;
  /// A thread begins at a place of its own, so that it mostly finds its own warm desk.
  Place& take() {
    std::size_t place = std::hash<std::thread::id>{}(std::this_thread::get_id());
    for (store::Backoff backoff;; backoff.wait()) {
      for (std::size_t i = 0; i < kPlaces; ++i, ++place) {
        Place& here = places_[place % kPlaces];
        if (!here.taken.load(std::memory_order_relaxed) &&
            !here.taken.exchange(true, std::memory_order_acquire)) {
          return here;
        }
      }
    }
  }

  std::array<Place, kPlaces> places_;
};

}  // namespace weir::limiter
