// SlotTable: where the bucket of a key is, and who may change it.
//
// THE TABLE has a fixed number of lines; nothing ever moves or grows, so nothing ever pauses. A line is a
// cache line: three slots and a word about them. A slot holds a name (the bucket's 64-bit hash, 0 when
// empty), a word (the bucket's state, or a handle of the block where it is) and the number of the limit that
// is its owner, under which the word is to be read.
//
//   line     name name name  word word word  owner owner owner  meta      = 64 bytes
//   word     bit 63: the latch.  bits 0..62: the state, veiled.
//   meta     bit 31: the insert latch.  bits 0..30: how many names were carried past this line.
//
// A key's home is a line that its hash names. Its window goes on with the other line of the home's pair, and
// then with pairs in growing steps, 1, 2, 3, ... pairs further: keys that meet in one pair part again in the
// next. A key sits in the first line of its window that had a free slot when it came, and each line that it
// was carried past counts it; a search looks at line after line and ends where nothing was carried past. At
// the load that max_keys allows (about two thirds), kept up while keys come and go, two lines in five are
// full and one pair in five: six keys in ten are in their home line, eight in its pair, nineteen in twenty in
// the first four lines. Hardly one key in 2^32 finds a window of 32 lines without a free slot; that one finds
// the table full. A small table is one window, line after line, and full only when it is.
//
// THE VEIL. What a word holds is (state XOR veil), where the veil mixes the name with a number that each
// registered limit is given. So the same state of two keys, or of one key under two limits, makes two
// different words, and a word that has not changed still belongs to the same key and limit. This is what lets
// one compare-and-swap of eight bytes stand for one of all three: it would succeed wrongly only for a slot
// that changed hands between a thread's load and its swap and whose word then came out the same, by a chance
// of 2^-63 in each such race. Two live keys with the same 64-bit hash are far more likely than that.
//
// WHO MAY CHANGE WHAT
//   word     unlatched: anyone, by a compare-and-swap from the value it was decided on. Latched: the holder.
//   name     the holder of the slot's latch; from 0 only with the insert latch of the name's home line as
//            well, after a search that did not find it: a name never sits in two slots.
//   owner    the holder of the slot's latch.
//   block    (bucket_space.h) the holder of the latch of the slot whose word names it.
//   meta     the insert latch by whoever sets it; counts up by who places a name, before the name is written;
//            counts down by who removes it, after.
//
// ORDER. Latching acquires and unlatching releases, so a holder sees what the last one did. A name and an
// owner are stored with release after their slot was latched, and read with acquire: whoever reads a new one
// then also sees the word changed (latched or later). So these loads, in this order,
//
//   word (acquire), name (acquire), owner (acquire), then the same word again or a compare-and-swap from it
//
// read all three as they were at one instant, the last one's.
//
// WAITING. Latches of slots are taken in the order of their names, one at a time or all at once. Insert
// latches come after them: who holds one waits for no named slot, only for an empty one that someone looks
// at. Who reclaims slots for others never waits. So there is no circle.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "weir/base/wide.h"
#include "weir/store/spin.h"
#include "weir/store/zero_pages.h"

namespace weir::store {

/// 2^64 over the golden ratio. The highest bits of its products are spread evenly, whatever steps the other
/// factor goes in.
inline constexpr std::uint64_t kGoldenRatio = 0x9E37'79B9'7F4A'7C15U;

/// Spreads over all 64 bits; a bijection (the finisher of SplitMix64).
constexpr std::uint64_t spread(std::uint64_t x) {
  x += kGoldenRatio;
  x = (x ^ (x >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return x ^ (x >> 31U);
}

/// A bucket's name, ready for look-ups.
struct Key {
  std::uint64_t name;
  std::uint64_t mixed;

  /// 0 is what an empty slot holds, and so counts as some other bucket.
  explicit Key(std::uint64_t bucket) : name(bucket == 0 ? 0x5EED : bucket), mixed(name * kGoldenRatio) {}
};

struct alignas(64) Line {
  static constexpr unsigned kSlots = 3;
  std::array<std::atomic<std::uint64_t>, kSlots> name;
  std::array<std::atomic<std::uint64_t>, kSlots> word;
  std::array<std::atomic<std::uint32_t>, kSlots> owner;
  std::atomic<std::uint32_t> meta;

  /// A bit for each slot that has the name. All are compared, without a branch between: which slot it will be
  /// nobody can predict.
  unsigned matches(std::uint64_t of) const {
    static_assert(kSlots == 3);
    const bool first = name[0].load(std::memory_order_acquire) == of;
    const bool second = name[1].load(std::memory_order_acquire) == of;
    const bool third = name[2].load(std::memory_order_acquire) == of;
    return unsigned{first} + 2 * unsigned{second} + 4 * unsigned{third};
  }
  bool passed() const { return (meta.load(std::memory_order_acquire) & kPassed) != 0; }

  static constexpr std::uint32_t kInserting = std::uint32_t{1} << 31U;
  static constexpr std::uint32_t kPassed = ~kInserting;
};
static_assert(sizeof(Line) == 64);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// A place in the table, or none.
struct Slot {
  Line* line = nullptr;
  unsigned index = 0;

  explicit operator bool() const { return line != nullptr; }
  std::atomic<std::uint64_t>& name() const { return line->name[index]; }
  std::atomic<std::uint64_t>& word() const { return line->word[index]; }
  std::atomic<std::uint32_t>& owner() const { return line->owner[index]; }
};

constexpr std::uint64_t kLatched = std::uint64_t{1} << 63U;

/// What a limit adds to the veil: another for each number.
constexpr std::uint64_t limit_veil(std::uint64_t number) {
  return spread(~number);
}

inline std::uint64_t veil(const Key& key, std::uint64_t of_limit) {
  return (key.mixed ^ of_limit) & ~kLatched;
}

template <class Yield = NoYield>
class SlotTable {
 public:
  static constexpr std::size_t kWindow = 32;
  /// Tables of up to so many lines are searched through, line after line. Larger ones are longer than a
  /// window.
  static constexpr std::size_t kSmall = 512;
  static_assert(kWindow * (kWindow - 1) / 2 < kSmall);

  /// REQUIRES: lines > 0, and even above kSmall. Throws std::bad_alloc when the system refuses.
  explicit SlotTable(std::size_t lines)
      : lines_(lines),
        window_(lines <= kSmall ? lines : kWindow),
        pages_(lines * sizeof(Line), ZeroPages::Use::random_access) {}

  std::size_t lines() const { return lines_; }
  /// Lines that a key may sit in.
  std::size_t window() const { return window_; }
  Line& line(std::size_t index) const {
    // Zero pages are lines as they should begin: all empty.
    return reinterpret_cast<Line*>(pages_.data())[index];
  }
  /// The line of the window of `key` at `distance`; its home at 0. REQUIRES: distance < window().
  Line& line_of(const Key& key, std::size_t distance) const {
    const std::size_t first = home(key);
    if (lines_ <= kSmall) {
      const std::size_t index = first + distance;
      return line(index < lines_ ? index : index - lines_);
    }
    const std::size_t step = distance / 2;
    std::size_t pair = first / 2 + step * (step + 1) / 2;
    if (pair >= lines_ / 2) pair -= lines_ / 2;
    return line(2 * pair + (first + distance) % 2);
  }
  /// REQUIRES: index < lines().
  Line& line_after(std::size_t index, std::size_t steps) const { return line((index + steps) % lines_); }
  /// line_of(key, 0)
  Line& home_line(const Key& key) const { return line(home(key)); }
  /// Starts to fetch a line. In line always: g++ takes a function that only prefetches for one without any
  /// effect, and removes the calls.
  [[gnu::always_inline]] static void prefetch(const Line& at) { __builtin_prefetch(&at, 1); }

  /// Waits for the home line, and starts to fetch the next of the window if the key is not there.
  [[gnu::always_inline]] void prefetch_beyond_home(const Key& key) const {
    const Line& at = home_line(key);
    if (at.matches(key.name) != 0 || !at.passed()) return;
    prefetch(line_of(key, 1));
    prefetch(line_of(key, 2));
  }

  /// The slot that had the name at some instant during the call; none only if at some instant none had.
  Slot find(const Key& key) const { return find(key, home_line(key)); }
  /// REQUIRES: `at` is home_line(key).
  Slot find(const Key& key, Line& at) const {
    if (const unsigned found = at.matches(key.name)) return slot_of(at, found);
    return at.passed() ? find_further(key) : Slot{};
  }

  /// Waits for the latch. Returns the word without it. Whose slot it is now, the caller has to look.
  std::uint64_t latch(Slot slot) const {
    for (Backoff backoff;; backoff.wait()) {
      std::uint64_t word = slot.word().load(std::memory_order_relaxed);
      if ((word & kLatched) == 0 && take(slot, word)) return word;
    }
  }

  /// The same for who can't wait: says whether it got the latch, and the word.
  bool try_latch(Slot slot, std::uint64_t& word) const {
    word = slot.word().load(std::memory_order_relaxed);
    return (word & kLatched) == 0 && take(slot, word);
  }

  void unlatch(Slot slot, std::uint64_t word) const {
    Yield::point();
    slot.word().store(word, std::memory_order_release);
  }

  /// The name's slot, latched; none if it had none at some instant.
  Slot latch_key(const Key& key, std::uint64_t& word) const {
    for (;;) {
      const Slot slot = find(key);
      if (!slot) return {};
      Yield::point();
      word = latch(slot);
      if (slot.name().load(std::memory_order_relaxed) == key.name) return slot;
      unlatch(slot, word);  // it changed hands while we came
    }
  }

  /// The right to place a name whose home is this line.
  class InsertLatch {
   public:
    explicit InsertLatch(Line& home) : home_(home) {
      for (Backoff backoff;
           (home_.meta.fetch_or(Line::kInserting, std::memory_order_acquire) & Line::kInserting) != 0;) {
        backoff.wait();
      }
      Yield::point();
    }
    ~InsertLatch() { home_.meta.fetch_and(~Line::kInserting, std::memory_order_release); }
    InsertLatch(const InsertLatch&) = delete;
    InsertLatch& operator=(const InsertLatch&) = delete;

   private:
    Line& home_;
  };

  /// Gives the name a slot, latched; none when its window has no free one.
  /// REQUIRES: the insert latch of its home line is held, and the name is not in the table.
  Slot place(const Key& key, std::uint32_t owner) const {
    for (std::size_t distance = 0; distance < window_; ++distance) {
      Line& at = line_of(key, distance);
      for (unsigned i = 0; i < Line::kSlots; ++i) {
        const Slot slot{&at, i};
        if (!latch_empty(slot)) continue;
        count_passed(key, distance_of(key, at), 1);
        Yield::point();
        slot.owner().store(owner, std::memory_order_release);
        slot.name().store(key.name, std::memory_order_release);
        return slot;
      }
    }
    return {};
  }

  /// Makes the slot an empty one, unlatched. REQUIRES: it is latched by the caller and has a name.
  void clear(Slot slot) const {
    const Key key(slot.name().load(std::memory_order_relaxed));
    slot.owner().store(0, std::memory_order_release);
    slot.name().store(0, std::memory_order_release);
    Yield::point();
    count_passed(key, distance_of(key, *slot.line), -1);
    slot.word().store(0, std::memory_order_release);
  }

 private:
  static Slot slot_of(Line& at, unsigned matches) {
    return {&at, static_cast<unsigned>(std::countr_zero(matches))};
  }

  /// find(), from the line after the home.
  [[gnu::noinline]] Slot find_further(Key key) const {
    for (std::size_t distance = 1; distance < window_; ++distance) {
      Yield::point();
      Line& at = line_of(key, distance);
      if (const unsigned found = at.matches(key.name)) return slot_of(at, found);
      if (!at.passed()) break;
    }
    return {};
  }

  std::size_t home(const Key& key) const { return static_cast<std::size_t>(Wide{key.mixed} * lines_ >> 64U); }

  /// Where the line is in the window of `key`. REQUIRES: it is there.
  std::size_t distance_of(const Key& key, const Line& at) const {
    std::size_t distance = 0;
    while (&line_of(key, distance) != &at) ++distance;
    return distance;
  }

  static bool take(Slot slot, std::uint64_t word) {
    Yield::point();
    return slot.word().compare_exchange_strong(word, word | kLatched, std::memory_order_acquire,
                                               std::memory_order_relaxed);
  }

  /// Latches the slot if it is empty. Waits while someone else holds an empty one: not for long, since to be
  /// empty and latched is a passing state.
  static bool latch_empty(Slot slot) {
    for (Backoff backoff;; backoff.wait()) {
      if (slot.name().load(std::memory_order_acquire) != 0) return false;
      const std::uint64_t word = slot.word().load(std::memory_order_relaxed);
      if (word != 0 || !take(slot, 0)) continue;
      if (slot.name().load(std::memory_order_relaxed) == 0) return true;
      slot.word().store(0, std::memory_order_release);
    }
  }

  /// Adds to the counts of all lines before the one at `distance`. A count that is not 0 can lose one without
  /// a borrow from the insert latch's bit.
  void count_passed(const Key& key, std::size_t distance, std::int32_t change) const {
    for (std::size_t i = 0; i < distance; ++i) {
      line_of(key, i).meta.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_acq_rel);
    }
  }

  const std::size_t lines_;
  const std::size_t window_;
  ZeroPages pages_;
};

}  // namespace weir::store
