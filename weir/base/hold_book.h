// A book of what is held for a time: each entry is settled exactly once, by who holds its id or by the clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "weir/base/time.h"

namespace weir {

/// Names one hold; none is ever given twice. 0 names none.
enum class HoldId : std::uint64_t {};

/// All functions are safe from any thread. No thread of its own: who uses it asks due(), which costs one
/// load, and then calls lapse(), which does a bounded piece of work.
template <class Held>
class HoldBook {
 public:
  /// Holds that one call of a limiter takes back, so that no call is long.
  static constexpr std::size_t kLapses = 8;

  /// At most `most` holds at once. One that has lapsed keeps its place until it is settled, so that it can
  /// still be charged.
  explicit HoldBook(std::size_t most) : most_(std::min(most, kMostPlaces)) {}

  struct Taken {
    Held held;
    /// Its time was over, and what it held has been given back already.
    bool lapsed;
  };

  /// Takes a place, to be filled by arm() or given back by leave(); nothing when there is none.
  std::optional<HoldId> enter() {
    const std::lock_guard lock(mutex_);
    std::uint32_t place = 0;
    if (!free_.empty()) {
      place = free_.back();
      free_.pop_back();
    } else if (places_.size() < most_) {
      place = static_cast<std::uint32_t>(places_.size());
      places_.emplace_back();
    } else {
      return std::nullopt;
    }
    places_[place].state = State::entered;
    return id(place);
  }

  /// REQUIRES: enter() gave the id, and neither arm() nor leave() has been called with it.
  void arm(HoldId hold, Held held, Nanos expires) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t place = place_of(hold);
    places_[place].held = std::move(held);
    places_[place].until = expires;
    places_[place].state = State::open;
    open_.emplace(expires, place);
    note_next();
  }
  void leave(HoldId hold) {
    const std::lock_guard lock(mutex_);
    vacate(place_of(hold));
  }

  /// For who settles it: once, whoever comes first. Nothing when it was settled before, or never was.
  std::optional<Taken> take(HoldId hold) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t place = place_of(hold);
    if (place >= places_.size() || id(place) != hold) return std::nullopt;
    Place& found = places_[place];
    if (found.state != State::open && found.state != State::lapsed) return std::nullopt;
    const bool lapsed = found.state == State::lapsed;
    if (!lapsed) open_.erase({found.until, place});
    Taken taken{std::move(found.held), lapsed};
    vacate(place);
    note_next();
    return taken;
  }

  /// Whether a hold's time is over at `now`.
  bool due(Nanos now) const { return now >= next_.load(std::memory_order_relaxed); }

  /// Takes back at most `most` holds whose time is over: calls give_back(const Held&) for each, with nothing
  /// locked. Says how many.
  template <class GiveBack>
  std::size_t lapse(Nanos now, std::size_t most, GiveBack give_back) {
    std::size_t count = 0;
    for (; count < most; ++count) {
      const std::optional<Held> over = lapse_one(now);
      if (!over) break;
      give_back(*over);
    }
    return count;
  }

  /// When the next hold's time is over; kForever when none is open.
  Nanos next_expiry() const { return next_.load(std::memory_order_relaxed); }
  /// For whom enter() gave no place: how long until there may be one. An estimate, of at most a second, since
  /// nobody knows when holds are settled. Nothing where there is no place at all.
  std::optional<Nanos> wait_for_place(Nanos now) const {
    if (most_ == 0) return std::nullopt;
    return std::min(std::max<Nanos>(1, saturating_sub(next_expiry(), now)), kSecond);
  }

 private:
  enum class State : std::uint8_t { free, entered, open, lapsed };
  struct Place {
    std::uint32_t generation = 1;
    State state = State::free;
    /// The end of its time.
    Nanos until = 0;
    Held held{};
  };

  static std::uint32_t place_of(HoldId hold) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(hold) & 0xffffffffU);
  }
  HoldId id(std::uint32_t place) const {
    return static_cast<HoldId>(std::uint64_t{places_[place].generation} << 32U | place);
  }
  void vacate(std::uint32_t place) {
    Place& left = places_[place];
    left.held = Held{};
    left.state = State::free;
    if (++left.generation == 0) left.generation = 1;
    free_.push_back(place);
  }
  void note_next() {
    next_.store(open_.empty() ? kForever : open_.begin()->first, std::memory_order_relaxed);
  }

  std::optional<Held> lapse_one(Nanos now) {
    const std::lock_guard lock(mutex_);
    if (open_.empty() || open_.begin()->first > now) return std::nullopt;
    const std::uint32_t place = open_.begin()->second;
    open_.erase(open_.begin());
    places_[place].state = State::lapsed;
    note_next();
    return places_[place].held;
  }

  /// An id has 32 bits for a place.
  static constexpr std::size_t kMostPlaces = 0xffffffffU;

  const std::size_t most_;
  std::mutex mutex_;  // guards all below but next_
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
  std::set<std::pair<Nanos, std::uint32_t>> open_;
  std::atomic<Nanos> next_{kForever};
};

}  // namespace weir
