// HyperLogLog in the form that Redis keeps under a key ("HYLL"): what PFADD, PFCOUNT and PFMERGE work on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/result.h"
#include "weir/sketch/estimate.h"

namespace weir {

/// Counts different values in 2^14 registers of 6 bits: standard error 0.81 %. Sparse (runs of equal
/// registers) while that is short, dense from then on; byte for byte what Redis 7 keeps after the same
/// commands, the cached count included. Flajolet and others (2007); estimated by Ertl's formula (2017), as
/// Redis does.
///
/// Memory: at most 12,304 bytes, while sparse at most `sparse_max_bytes`.
///
/// The hash is MurmurHash64A with the seed that Redis fixes, so anyone can choose values that spoil the
/// count.
class RedisHll {
 public:
  static constexpr unsigned kPrecision = 14;
  static constexpr std::size_t kRegisters = std::size_t{1} << kPrecision;
  static constexpr std::size_t kDenseBytes = 16 + kRegisters * 6 / 8;
  /// Redis's hll-sparse-max-bytes.
  static constexpr std::size_t kSparseMaxBytes = 3'000;

  /// An empty one. `sparse_max_bytes` above kDenseBytes is kDenseBytes.
  explicit RedisHll(std::size_t sparse_max_bytes = kSparseMaxBytes);

  /// Takes what Redis has stored, which is anything at all: wrong sizes, runs that do not add up to all
  /// registers and values that no hash can have are errors.
  static Result<RedisHll> from_hyll(std::string_view bytes, std::size_t sparse_max_bytes = kSparseMaxBytes);
  /// The bytes that Redis would hold.
  const std::string& hyll() const { return bytes_; }
  bool is_dense() const;
  std::size_t memory_bytes() const { return sizeof(*this) + bytes_.capacity(); }

  /// True when the count may have changed by it: what PFADD answers. The empty text is a value like others.
  bool add(std::string_view value);
  /// A batch: all are hashed, then counted. True when any changed something.
  bool add(std::span<const std::string_view> values);

  /// The count as PFCOUNT answers it; kept in the bytes until something changes, as Redis keeps it.
  std::uint64_t count();
  Estimate estimate(double confidence = kDefaultConfidence) const;

  /// Afterwards this has seen what both have seen: PFMERGE. Dense when either was.
  void merge(const RedisHll& other);

  /// All registers, a byte each.
  std::array<std::uint8_t, kRegisters> registers() const;

  /// Weir's own frame around the bytes.
  std::string encode() const;
  static Result<RedisHll> decode(std::string_view bytes);

 private:
  bool add_hash(std::uint64_t hash);
  bool raise(std::size_t index, unsigned value);
  bool raise_dense(std::size_t index, unsigned value);
  bool raise_sparse(std::size_t index, unsigned value);
  bool promote_and_raise(std::size_t index, unsigned value);
  void join_runs(std::size_t from);
  void become_dense();
  void forget_count();
  double raw_estimate() const;

  std::size_t sparse_max_bytes_;
  std::string bytes_;
};

}  // namespace weir
