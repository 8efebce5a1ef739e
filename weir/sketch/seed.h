// The seed of a summary, which its hashes and its draws come from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/hash.h"
#include "weir/base/result.h"

namespace weir {

/// Summaries merge only when they share it, and it stands in what they encode. The same seed and the same
/// input give the same summary on every machine. Who knows it can choose input that spoils a summary: what
/// strangers feed has a random one.
enum class Seed : std::uint64_t {};

/// What the command line uses, so that the same input prints the same output and saved files merge.
inline constexpr Seed kFixedSeed{kCommandLineSeed};

/// From the system's source of randomness: one for a process, so that what it keeps can be merged.
Seed random_seed();

/// "Count-Min sketch: the error is 2; it must lie between 0 and 1".
Error error_of(std::string_view what, std::string_view sentence);

/// An error that names both where they differ; `what` is the kind of summary: "Count-Min sketch".
Status check_same_seed(Seed mine, Seed other, std::string_view what);
/// The same for any parameter: "the width is 2000 here and 1000 there".
Status check_same(std::uint64_t mine, std::uint64_t other, std::string_view parameter, std::string_view what);

/// More records than this are not counted: what has seen more together doesn't merge.
inline constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 63U;
Status check_count(std::uint64_t mine, std::uint64_t other, std::string_view what);

/// 64-bit hashes of values under a seed; for Weir's own summaries. A text and a number are different values:
/// "1" and 1 need not have the same hash.
class SeededHash {
 public:
  explicit SeededHash(Seed seed)
      : secret_(HashSecret::fixed(static_cast<std::uint64_t>(seed))),
        key_(secret_.hash("number")),
        factor_(secret_.hash("factor") | 1U) {}

  std::uint64_t operator()(std::string_view value) const { return secret_.hash(value); }
  /// No two numbers share one: each step can be undone.
  std::uint64_t operator()(std::uint64_t value) const {
    std::uint64_t x = (value ^ key_) * factor_;
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93;
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93;
    return x ^ (x >> 32U);
  }

 private:
  HashSecret secret_;
  std::uint64_t key_;
  std::uint64_t factor_;
};

}  // namespace weir
