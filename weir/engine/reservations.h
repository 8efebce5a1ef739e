// Reservations: a request's cost, held in all of its rules' buckets until its true cost is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "weir/base/hold_book.h"
#include "weir/engine/engine.h"

namespace weir {

/// How a hold came to be settled.
enum class Settled : std::uint8_t {
  /// In time: the difference to what was held was charged or given back.
  in_time,
  /// Too late: what was held had gone back already, and the whole cost was charged now.
  late,
  /// Settled before, or never held: nothing was changed.
  not_held,
};

struct Reserved {
  /// Denied for want of a place, its retry_after is an estimate, or nothing (never) where there are none.
  Decision decision;
  /// Given when the decision admits; 0 otherwise.
  HoldId hold{};
};

/// All functions are safe from any thread, each thread with a Trace of its own. A hold is settled exactly
/// once: by commit, by cancel, or by its time, whichever comes first. Its rules' buckets are all changed at
/// one instant, and are those that were charged, also when the policy has changed since.
///
/// What is given back is what still weighs on a bucket: see Kernel::give_back.
class Reservations {
 public:
  /// At most `most` holds at one time, those included whose time is over and that nobody has settled.
  /// `engine` must outlive it.
  Reservations(Engine& engine, std::size_t most);

  /// Decides as Engine::decide does, and holds what it charged. REQUIRES: ttl > 0.
  Reserved reserve(const Request& request, Nanos now, Nanos ttl, Trace& trace);
  /// Settles a hold with the cost that the request had in the end.
  Settled commit(HoldId hold, std::uint64_t cost, Nanos now);
  /// Gives all of it back. Says whether there was something to give back.
  bool cancel(HoldId hold, Nanos now);

  /// Takes back a few of those whose time is over. Costs one load when there are none: to be called before
  /// each request.
  void lapse(Nanos now) {
    if (book_.due(now)) [[unlikely]]
      lapse_some(now);
  }

  /// When the next hold's time is over; kForever when none is open.
  Nanos next_expiry() const { return book_.next_expiry(); }

 private:
  /// What one rule charged.
  struct RuleCharge {
    std::uint64_t bucket = 0;
    LimitId id{};
    const Rule* rule = nullptr;  // in the plan
    Nanos at = 0;
  };
  struct Held {
    std::uint64_t cost = 0;
    std::shared_ptr<const std::vector<RuleCharge>> charges;
    /// Keeps the rules, and their limits registered.
    std::shared_ptr<const Plan> plan;
  };

  static std::vector<RuleCharge> charges_of(const Trace& trace, Nanos now);
  Reserved no_place(const Request& request, Nanos now, Trace& trace);
  /// All but what a request of cost `kept` is charged.
  void give_back(const Held& held, std::uint64_t kept, Nanos now);
  void charge(const Held& held, std::uint64_t from, std::uint64_t to, Nanos now);
  void lapse_some(Nanos now);

  Engine& engine_;
  HoldBook<Held> book_;
};

}  // namespace weir
