// Which records a uniform sample keeps, by their numbers alone.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/random.h"
#include "weir/sketch/seed.h"

namespace weir {

/// Algorithm L (Li, "Reservoir-sampling algorithms of time complexity O(n(1+log(N/n)))", 1994): after n
/// records each has been kept with probability k/n, and only about k(1 + ln(n/k)) of them were looked at. It
/// knows beforehand which record it takes next.
class UniformDraw {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  UniformDraw(std::uint64_t capacity, Seed seed, std::uint64_t stream);

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t seen() const { return seen_; }
  std::uint64_t kept() const { return seen_ < capacity_ ? seen_ : capacity_; }
  Seed seed() const { return seed_; }

  /// The number of the next record that is taken, counted from 0. All up to it may be skipped.
  std::uint64_t next_wanted() const { return next_; }
  bool wants() const { return seen_ == next_; }
  /// Lets `count` records pass; stops counting at kMostRecords. REQUIRES: count <= next_wanted() - seen().
  void skip(std::uint64_t count) { seen_ = count < kMostRecords - seen_ ? seen_ + count : kMostRecords; }
  /// Lets one pass. REQUIRES: !wants().
  void pass() { ++seen_; }
  /// Takes the record that has come: the slot that it goes to, which is kept() while there is room, and that
  /// of the one it replaces afterwards. REQUIRES: wants().
  std::uint64_t take();

  /// Why the two can't merge.
  Status check_merge(const UniformDraw& other) const;
  /// How many of the k slots after a merge come from this side: the exact hypergeometric split, drawn one
  /// slot at a time. REQUIRES: check_merge(other), and more than capacity() records together.
  std::uint64_t draw_split(const UniformDraw& other);
  /// See UniformSample::stir.
  void stir(std::uint64_t word) { random_.stir(word); }
  /// The draws of a merge come from what both have drawn.
  void stir(const UniformDraw& other) { random_.stir(other.random_); }
  /// Each of [0, n) as likely. REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  /// The other's records have come too, and the slots hold a uniform sample of all.
  void absorb(const UniformDraw& other) { resume(seen_ + other.seen_); }
  /// Goes on as if `seen` records had come, with a threshold drawn from its distribution then.
  void resume(std::uint64_t seen);

  void encode(ByteWriter& out) const;
  /// Notes what is wrong in the reader.
  static UniformDraw decode(ByteReader& in);

 private:
  void draw_next();

  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t capacity_;
  /// ln of the largest of the keys of those kept, where each record has a uniform key.
  double log_threshold_ = 0;
  Seed seed_;
  Random random_;
};

}  // namespace weir
