// BucketSpace: buckets by key, each latched by one thread at a time; who gets a place, and who loses it.
//
// WHEN A BUCKET GOES. A bucket whose state equals a fresh one may be dropped at any time: nothing is lost but
// the latest instant that it had seen. So before one is dropped, `floor` is raised to the instant at which it
// was found fresh, and whoever finds no bucket decides at no earlier instant than `floor`, read after the
// search: a `now` that is behind (a thread that was held up, a clock read before another's) gets nothing that
// was already used. Who finds a bucket needs no floor: its state knows.
//
// WHO GETS A PLACE. FairShare says how many, and of how many bytes. When it says none, buckets that are as
// good as new are dropped first in the window of the new key, then in a few lines more; then the table is
// full for this key. No bucket that is in use ever makes room for another.
//
// THE SWEEP moves over the table with the requests, a few lines for each new bucket, so that dead ones are at
// most a fraction of the table; without requests nothing is done.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "weir/store/bucket_blocks.h"
#include "weir/store/limit_table.h"
#include "weir/store/slot_table.h"

namespace weir::store {

/// What a bucket could not have.
enum class Lack : std::uint8_t { none, place, memory };

/// A bucket that this thread holds by its latch, or the thought of one that the table does not have.
struct Held {
  explicit Held(const Key& of) : key(of) {}

  Key key;
  /// None: not in the table, and `state` is that of a fresh bucket.
  Slot slot;
  std::uint64_t word = 0;
  /// The slot's owner, and the limit that `state` is of; they differ from adopt() to keep().
  const RegisteredLimit* stored = nullptr;
  const RegisteredLimit* owner = nullptr;
  std::optional<BucketBlocks::Handle> block;
  State state;
  /// The instant of the request; for a new bucket not before the floor.
  Nanos now = 0;
  bool inserted = false;
  /// The limit of the request's first ask of this bucket: under it a new one is made.
  const RegisteredLimit* made_under = nullptr;
  /// The limit of an ask without whose bucket the request is denied; none when it can do without.
  const RegisteredLimit* needed_under = nullptr;
  Lack lack = Lack::none;
};

/// How a store's memory is divided. Throws std::invalid_argument when no table fits the options.
struct SpaceSizes {
  explicit SpaceSizes(const MemoryStoreOptions& options);
  std::size_t keys;
  std::size_t lines;
  std::size_t arena_bytes;
};

inline Nanos local_time(const RegisteredLimit& limit, const Key& key, Nanos now) {
  return saturating_sub(now, limit.kernel.phase(key.name));
}

template <class Yield = NoYield>
class BucketSpace {
 public:
  BucketSpace(SpaceSizes sizes, TimeFrame frame)
      : slots_(sizes.lines),
        blocks_(sizes.arena_bytes),
        places_(sizes.keys),
        limits_(frame, {&places_, &blocks_.share()}) {}

  LimitTable& limits() { return limits_; }
  const LimitTable& limits() const { return limits_; }
  const SlotTable<Yield>& slots() const { return slots_; }

  /// Not before what dropped buckets have seen. Read after a search that found nothing.
  Nanos not_before_floor(Nanos now) const { return std::max(now, floor_.load(std::memory_order_acquire)); }

  /// Latches the bucket and reads its state; when there is none, `held` has no slot and a fresh state.
  void hold_existing(Held& held, Nanos now) {
    held.slot = slots_.latch_key(held.key, held.word);
    if (held.slot) {
      held.now = now;
      load(held);
    } else {
      held.stored = held.owner = nullptr;
      held.state = {};
      held.now = not_before_floor(now);
    }
  }

  /// The same, but when there is none makes one of this limit; with no slot then, says what lacked.
  Lack hold(Held& held, const RegisteredLimit& limit, Nanos now) {
    for (;;) {
      hold_existing(held, now);
      if (held.slot) return Lack::none;
      if (const auto lack = insert(held, limit, now)) return *lack;
    }
  }

  /// What a new bucket would lack. Takes nothing; drops what is as good as new, where that helps.
  Lack lack_of_new(const Key& key, const RegisteredLimit& limit, Nanos now) {
    const auto has_place = [&] { return places_.has(limit.room, 1); };
    if (!has_place() && !reclaim_until(key, limit, now, kLastResort, has_place)) return Lack::place;
    if (limit.words == 1) return Lack::none;
    const std::size_t bytes = BucketBlocks::least_bytes(limit.words, limit.log);
    const auto has_memory = [&] { return blocks_.share().has(limit.room, bytes); };
    if (has_memory() || reclaim_until(key, limit, now, kLastResortForMemory, has_memory)) return Lack::none;
    return Lack::memory;
  }

  /// Makes the state one under `limit`; says false when that takes a block and none can be had.
  bool adopt(Held& held, const RegisteredLimit& limit) {
    if (held.owner == &limit) return true;
    if (limit.words > 1 && !held.block && !give_block(held)) return false;
    held.state = under(held, limit);
    held.owner = &limit;
    return true;
  }

  /// The state as `limit` would take it over.
  State under(const Held& held, const RegisteredLimit& limit) const {
    State state = held.state;
    if (held.owner == nullptr || held.owner == &limit) return state;
    const Nanos takeover = std::min(held.now, limit.since.load(std::memory_order_relaxed));
    limit.kernel.carry(held.owner->kernel, state, local_time(limit, held.key, takeover));
    return state;
  }

  /// Sees to it that one entry more can be logged; says false when no memory can be had for it.
  bool make_room(Held& held) {
    const Nanos at = local_time(*held.owner, held.key, held.now);
    while (held.owner->kernel.needs_room(held.state, at)) {
      const auto grow = [&] { return blocks_.grow(*held.block, held.stored->room, held.state); };
      if (!grow() && !reclaim_until(held.key, *held.owner, held.now, kLastResortForMemory, grow)) {
        return false;
      }
    }
    return true;
  }

  /// Writes the state back and unlatches. A bucket that was made for nothing goes.
  void keep(Held& held) {
    if (!held.slot) return;
    if (held.inserted && held.owner->kernel.fresh(held.state, local_time(*held.owner, held.key, held.now))) {
      drop(held);
      return;
    }
    const RegisteredLimit* before = held.stored;
    if (before != held.owner) change_owner(held);
    if (held.owner->words > 1) {
      blocks_.store(*held.block, held.state);
    } else if (held.block) {
      blocks_.drop(*held.block, held.owner->room);
      held.block.reset();
    }
    slots_.unlatch(held.slot, encode(held));
    held.slot = {};
    // Last, since it may end the old limit.
    if (before != held.owner) before->buckets.fetch_sub(1, std::memory_order_release);
  }

  /// Unlatches with nothing written. REQUIRES: not changed but by adopt.
  void let_go(Held& held) {
    if (held.slot) slots_.unlatch(held.slot, held.word);
    held.slot = {};
  }

  /// Looks at the next lines of the table and drops what is as good as new. `known` is a limit in use: its
  /// buckets are looked at more cheaply.
  void sweep(std::size_t lines, const RegisteredLimit& known, Nanos now) {
    lines = std::min(lines, slots_.lines());
    const std::size_t begin = cursor_.fetch_add(lines, std::memory_order_relaxed) % slots_.lines();
    for (std::size_t i = 0; i < lines; ++i) {
      // What the next sweep will look at, so that it need not wait.
      slots_.prefetch(slots_.line_after(begin, lines + i));
      reclaim(slots_.line_after(begin, i), known, now);
    }
  }

  /// The wait after which `key` surely finds what it lacks now, if nothing else comes: until the first bucket
  /// in its window is as good as new whose end helps. `own`: names that do not count, since the same request
  /// needs them. Nothing when there are no others.
  /// REQUIRES: this thread holds no latch.
  std::optional<Nanos> wait_for_room(const Key& key, const RegisteredLimit& limit, Lack lack,
                                     std::span<const Held> own, Nanos now) {
    std::optional<Nanos> shortest;
    for (std::size_t distance = 0; distance < slots_.window(); ++distance) {
      for (unsigned i = 0; i < Line::kSlots; ++i) {
        const auto wait = time_left({&slots_.line_of(key, distance), i}, limit, lack, own, now);
        if (wait && (!shortest || *wait < *shortest)) shortest = wait;
      }
    }
    if (shortest) return std::max<Nanos>(*shortest, 1);
    return shortest;
  }

  /// Whether there is a place, and the least memory, for all buckets together that a request needs. When
  /// there is not, no wait helps.
  bool can_ever_hold(std::span<const Held> own) const {
    std::size_t places = 0;
    std::size_t bytes = 0;
    for (const Held& held : own) {
      if (held.needed_under == nullptr) continue;
      ++places;
      bytes += BucketBlocks::least_bytes(held.needed_under->words, held.needed_under->log);
    }
    return places <= places_.total() && bytes <= blocks_.share().total();
  }

  std::size_t keys() const { return places_.used(); }
  std::size_t max_keys() const { return places_.total(); }
  std::size_t memory_bytes() const { return slots_.lines() * sizeof(Line) + blocks_.share().used(); }
  std::uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }

 private:
  /// Lines looked at, beyond the window, before the space counts as full. For memory they are more, since
  /// what is given back must also be of one piece.
  static constexpr std::size_t kLastResort = 16;
  static constexpr std::size_t kLastResortForMemory = 64;

  std::uint64_t encode(const Held& held) const {
    const std::uint64_t bare = held.owner->words > 1 ? *held.block : held.state.word[0];
    return bare ^ veil(held.key, held.owner->veil);
  }

  /// REQUIRES: the slot is latched and has a name, `word` is what it held.
  void load(Held& held) const {
    held.stored = held.owner =
        &limits_[static_cast<LimitId>(held.slot.owner().load(std::memory_order_relaxed))];
    const std::uint64_t bare = held.word ^ veil(held.key, held.owner->veil);
    held.block.reset();
    if (held.owner->words > 1) {
      held.block = static_cast<BucketBlocks::Handle>(bare);
      held.state = blocks_.load(*held.block);
    } else {
      held.state = State{.word = {bare, 0, 0}};
    }
  }

  /// Nothing when another thread was first.
  std::optional<Lack> insert(Held& held, const RegisteredLimit& limit, Nanos now) {
    {
      const typename SlotTable<Yield>::InsertLatch latch(slots_.line_of(held.key, 0));
      if (slots_.find(held.key)) return std::nullopt;
      if (!places_.take(limit.room, 1) && !make_place(held.key, limit, now)) return Lack::place;
      held.slot = slots_.place(held.key, static_cast<std::uint32_t>(limit.id));
      if (!held.slot && reclaim_window(held.key, limit, now)) {
        held.slot = slots_.place(held.key, static_cast<std::uint32_t>(limit.id));
      }
      if (!held.slot) {
        places_.give(limit.room, 1);
        return Lack::place;
      }
    }
    limit.buckets.fetch_add(1, std::memory_order_relaxed);
    held.stored = held.owner = &limit;
    held.inserted = true;
    held.now = not_before_floor(now);
    if (limit.words == 1 || give_block(held)) return Lack::none;
    drop(held);
    return Lack::memory;
  }

  bool give_block(Held& held) {
    const auto make = [&] { return (held.block = blocks_.make(held.stored->room)).has_value(); };
    if (!make() && !reclaim_until(held.key, *held.stored, held.now, kLastResortForMemory, make)) return false;
    held.state.ring = {};
    return true;
  }

  /// Empties the slot of a held bucket for good.
  void drop(Held& held) {
    if (held.block) blocks_.drop(*held.block, held.stored->room);
    held.block.reset();
    slots_.clear(held.slot);
    held.slot = {};
    places_.give(held.stored->room, 1);
    held.stored->buckets.fetch_sub(1, std::memory_order_release);
    held.owner = held.stored = nullptr;
    held.state = {};
    held.inserted = false;
  }

  void change_owner(Held& held) {
    held.owner->buckets.fetch_add(1, std::memory_order_relaxed);
    places_.move(held.stored->room, held.owner->room, 1);
    if (held.block) blocks_.move(*held.block, held.stored->room, held.owner->room);
    held.slot.owner().store(static_cast<std::uint32_t>(held.owner->id), std::memory_order_release);
  }

  void raise_floor(Nanos now) {
    Nanos floor = floor_.load(std::memory_order_relaxed);
    while (floor < now && !floor_.compare_exchange_weak(floor, now, std::memory_order_acq_rel)) {
    }
  }

  struct Seen {
    Key key;
    State state;
  };

  /// A bucket of one word of a limit that is in use, as it was at some instant during the call; nothing when
  /// the slot has none, or someone is at it. Takes no latch: see slot_table.h for the order of the loads.
  std::optional<Seen> glance(Slot slot, const RegisteredLimit& limit) const {
    if (limit.words != 1) return std::nullopt;
    const std::uint64_t word = slot.word().load(std::memory_order_acquire);
    const std::uint64_t name = slot.name().load(std::memory_order_acquire);
    if (name == 0 || (word & kLatched) != 0) return std::nullopt;
    if (slot.owner().load(std::memory_order_acquire) != static_cast<std::uint32_t>(limit.id)) {
      return std::nullopt;
    }
    Yield::point();
    if (slot.word().load(std::memory_order_acquire) != word) return std::nullopt;
    const Key key(name);
    return Seen{key, State{.word = {word ^ veil(key, limit.veil), 0, 0}}};
  }

  /// Drops the slot's bucket if it is as good as new. Never waits.
  bool reclaim(Slot slot, const RegisteredLimit& known, Nanos now) {
    if (slot.name().load(std::memory_order_relaxed) == 0) return false;
    // Most are in use. Without a latch the line stays with whoever uses it.
    if (const auto seen = glance(slot, known)) {
      if (!known.kernel.fresh(seen->state, local_time(known, seen->key, now))) return false;
    }
    std::uint64_t word = 0;
    if (!slots_.try_latch(slot, word)) return false;
    const std::uint64_t name = slot.name().load(std::memory_order_relaxed);
    if (name == 0) {
      slots_.unlatch(slot, word);
      return false;
    }
    Held held{Key(name)};
    held.slot = slot;
    held.word = word;
    load(held);
    if (!held.owner->kernel.fresh(held.state, local_time(*held.owner, held.key, now))) {
      slots_.unlatch(slot, word);
      return false;
    }
    raise_floor(now);
    drop(held);
    evictions_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  bool reclaim(Line& line, const RegisteredLimit& known, Nanos now) {
    bool any = false;
    for (unsigned i = 0; i < Line::kSlots; ++i) any = reclaim({&line, i}, known, now) || any;
    return any;
  }

  bool reclaim_window(const Key& key, const RegisteredLimit& known, Nanos now) {
    bool any = false;
    for (std::size_t i = 0; i < slots_.window(); ++i)
      any = reclaim(slots_.line_of(key, i), known, now) || any;
    return any;
  }

  /// Drops what can be dropped, in the window and `lines` more, until `enough()`; says whether it came to
  /// that.
  template <class Enough>
  bool reclaim_until(const Key& key, const RegisteredLimit& known, Nanos now, std::size_t lines,
                     Enough enough) {
    for (std::size_t i = 0; i < slots_.window(); ++i) {
      if (reclaim(slots_.line_of(key, i), known, now) && enough()) return true;
    }
    lines = std::min(lines, slots_.lines());
    const std::size_t begin = cursor_.fetch_add(lines, std::memory_order_relaxed) % slots_.lines();
    for (std::size_t i = 0; i < lines; ++i) {
      if (reclaim(slots_.line_after(begin, i), known, now) && enough()) return true;
    }
    return false;
  }

  bool make_place(const Key& key, const RegisteredLimit& limit, Nanos now) {
    return reclaim_until(key, limit, now, kLastResort, [&] { return places_.take(limit.room, 1); });
  }

  /// Whether the end of a bucket of `holder` gives a bucket of `wanting` what it lacks.
  bool helps(const RegisteredLimit& holder, const RegisteredLimit& wanting, Lack lack) const {
    if (lack == Lack::place) return places_.helps(holder.room, wanting.room);
    // Every ring is at least what a new bucket needs.
    const bool enough = holder.log || (holder.words > 1 && !wanting.log);
    return enough && blocks_.share().helps(holder.room, wanting.room);
  }

  std::optional<Nanos> time_left(Slot slot, const RegisteredLimit& limit, Lack lack,
                                 std::span<const Held> own, Nanos now) {
    const auto counts = [&](std::uint64_t name) {
      return name != 0 &&
             std::none_of(own.begin(), own.end(), [&](const Held& h) { return h.key.name == name; });
    };
    if (!counts(slot.name().load(std::memory_order_acquire))) return std::nullopt;
    if (const auto seen = glance(slot, limit)) {
      if (!counts(seen->key.name) || !helps(limit, limit, lack)) return std::nullopt;
      return limit.kernel.peek(seen->state, local_time(limit, seen->key, now), 0).reset_after;
    }
    const std::uint64_t word = slots_.latch(slot);
    std::optional<Nanos> left;
    if (const std::uint64_t name = slot.name().load(std::memory_order_relaxed); counts(name)) {
      Held held{Key(name)};
      held.slot = slot;
      held.word = word;
      load(held);
      if (helps(*held.owner, limit, lack)) {
        left = held.owner->kernel.peek(held.state, local_time(*held.owner, held.key, now), 0).reset_after;
      }
    }
    slots_.unlatch(slot, word);
    return left;
  }

  SlotTable<Yield> slots_;
  BucketBlocks blocks_;
  FairShare places_;
  LimitTable limits_;
  std::atomic<Nanos> floor_{std::numeric_limits<Nanos>::min()};
  std::atomic<std::size_t> cursor_{0};
  std::atomic<std::uint64_t> evictions_{0};
};

}  // namespace weir::store
