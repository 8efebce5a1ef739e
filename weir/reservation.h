// Reservations: hold a cost before the work, settle it when the true cost is known.
//
//   auto held = tokens.reserve("mira", weir::Cost{4000}, 60s);     // at most this much
//   if (!held) return too_many_requests(held.outcome());
//   const auto answer = ask_the_model();
//   held.commit(weir::Cost{answer.tokens});                        // gives back what was not needed
//
// A reservation that goes out of scope without commit() gives all of it back; so does one whose time is over.
// commit() then still charges what was used. What was used beyond what was held becomes debt, of at most one
// capacity. Whatever comes first, and on whatever thread, each reservation is settled exactly once; until
// then it takes one of the limiter's max_reservations places, also when its time is over.
//
// Given back is what certainly still weighs on the bucket, and nothing is minted. What time has given back by
// itself is not given twice: of 5 units that a bucket of 1 per second took 3 seconds ago, 2 go back, which is
// all that is left of them if it was full before; of a window that has passed, nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "weir/key.h"
#include "weir/outcome.h"

namespace weir {

enum class Settlement : std::uint8_t {
  /// In time: the difference to what was held was charged or given back.
  settled,
  /// Too late: what was held had gone back already, and the whole cost was charged now.
  late,
  /// Settled before, or nothing was held: nothing was changed.
  nothing,
};

/// What keeps the holds of a limiter. For those who build limiters.
class HoldKeeper {
 public:
  virtual ~HoldKeeper() = default;
  virtual Settlement commit(std::uint64_t hold, std::uint64_t cost) = 0;
  /// Says whether there was something to give back.
  virtual bool cancel(std::uint64_t hold) = 0;
};

/// One thread at a time, as any object; the limiter itself may be used, and even destroyed, meanwhile.
class [[nodiscard]] Reservation {
 public:
  /// REQUIRES: `outcome` is an admission if, and only if, `hold` is not 0.
  Reservation(std::shared_ptr<HoldKeeper> keeper, std::uint64_t hold, Cost held, Outcome outcome);
  ~Reservation();
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;

  /// Whether the cost was admitted and is, or was, held.
  explicit operator bool() const { return outcome_.admitted(); }
  const Outcome& outcome() const { return outcome_; }

  Settlement commit(Cost actual);
  /// What was held is what was used.
  Settlement commit() { return commit(held_); }
  /// Gives all of it back, as the destructor does. Says whether there was something to give back.
  bool cancel();

 private:
  std::shared_ptr<HoldKeeper> keeper_;
  std::uint64_t hold_;  // 0 once it is settled
  Cost held_;
  Outcome outcome_;
};

}  // namespace weir
