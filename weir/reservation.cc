#include "weir/reservation.h"

#include <utility>

namespace weir {

Reservation::Reservation(std::shared_ptr<HoldKeeper> keeper, std::uint64_t hold, Cost held, Outcome outcome)
    : keeper_(std::move(keeper)), hold_(hold), held_(held), outcome_(outcome) {}

Reservation::~Reservation() {
  cancel();
}

Reservation::Reservation(Reservation&& other) noexcept
    : keeper_(std::move(other.keeper_)),
      hold_(std::exchange(other.hold_, 0)),
      held_(other.held_),
      outcome_(other.outcome_) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  cancel();
  keeper_ = std::move(other.keeper_);
  hold_ = std::exchange(other.hold_, 0);
  held_ = other.held_;
  outcome_ = other.outcome_;
  return *this;
}

Settlement Reservation::commit(Cost actual) {
  const std::uint64_t hold = std::exchange(hold_, 0);
  return hold == 0 ? Settlement::nothing : keeper_->commit(hold, actual.units());
}

bool Reservation::cancel() {
  const std::uint64_t hold = std::exchange(hold_, 0);
  return hold != 0 && keeper_->cancel(hold);
}

}  // namespace weir
