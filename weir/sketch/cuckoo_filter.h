// A filter of which values can be deleted again: RedisBloom's cuckoo filter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/sketch/bytes.h"
#include "weir/sketch/redis_chunks.h"

namespace weir {

/// A cuckoo filter (Fan and others, "Cuckoo filter: practically better than Bloom", 2014) with RedisBloom's
/// hashes, sizes and dumps: one byte for each value, in one of two buckets. When a table is full another is
/// added, `expansion` times as large. A value can be added several times, and counts as often. Deleting what
/// was never added may delete another value's mark, after which that value is no longer contained.
///
/// A value that was never added is taken for contained with a chance of about 2 * bucket_size / 255 for each
/// table at full load: 1.6 % with one, and more with each expansion. The hash has no secret: strangers can
/// fill it with values of their choice.
class CuckooFilter {
 public:
  struct Options {
    std::uint64_t capacity = 1024;
    std::uint16_t bucket_size = 2;
    /// How many marks are moved to make room before a table counts as full.
    std::uint16_t max_iterations = 20;
    /// How much larger each table is than the one before, rounded up to a power of two; 0 never adds one.
    std::uint16_t expansion = 1;
    /// More bytes than this are never taken, by growing, merging or loading.
    std::uint64_t most_bytes = std::uint64_t{1} << 32U;
  };
  /// A capacity below twice the bucket size, a bucket size outside [1, 255], no iterations, an expansion
  /// above 32768 and more bytes than the most are refused.
  static Result<CuckooFilter> make(const Options& options);

  /// False when there is no room, and nothing has changed.
  bool add(std::string_view value);
  enum class Added : std::uint8_t { fresh, known, full };
  /// Unless it is contained, or taken for it.
  Added add_fresh(std::string_view value);
  /// Takes one mark of it out; false when there is none.
  bool remove(std::string_view value);
  bool contains(std::string_view value) const;
  /// How often it was added, at least.
  std::uint64_t count(std::string_view value) const;
  /// As one after another. REQUIRES: as much room as values.
  void add(std::span<const std::string_view> values, std::span<bool> added);
  void contains(std::span<const std::string_view> values, std::span<bool> found) const;

  /// Contains what both contain, as often. A filter of other sizes, and one whose values find no room here,
  /// are refused, and nothing is changed then.
  Status merge(const CuckooFilter& other);

  /// Values that are in it.
  std::uint64_t items() const { return items_; }
  std::uint64_t deletes() const { return deletes_; }
  std::size_t tables() const { return tables_.size(); }
  /// The buckets of the first table.
  std::uint64_t buckets() const { return buckets_; }
  std::uint16_t bucket_size() const { return bucket_size_; }
  std::uint16_t max_iterations() const { return max_iterations_; }
  std::uint16_t expansion() const { return expansion_; }
  /// Of all tables; also the places for values.
  std::uint64_t bytes() const;
  /// The share of places that are taken.
  double fill() const { return static_cast<double>(items_) / static_cast<double>(bytes()); }
  /// The chance that a value which was never added is taken for contained: counted from the tables.
  double error_rate() const;

  std::string encode() const;
  static Result<CuckooFilter> decode(std::string_view bytes);

  /// CF.SCANDUMP: `at` is 0 first and then what the reply before said, until that is 0.
  DumpChunk dump(std::uint64_t at) const;
  /// CF.LOADCHUNK with iterator 1: a filter with empty tables, of at most `most_bytes`.
  static Result<CuckooFilter> from_header(std::string_view header, std::uint64_t most_bytes);
  /// CF.LOADCHUNK with others: `next` is the iterator that came with the bytes.
  Status load(std::uint64_t next, std::string_view bytes);

 private:
  /// The marks of a table, bucket after bucket; 0 is a free place.
  struct Table {
    std::uint64_t buckets;
    std::string marks;
  };
  /// A mark, and the numbers that its two buckets are taken from, modulo the buckets of the table.
  struct Mark {
    unsigned char mark;
    std::uint64_t first;
    std::uint64_t second;
  };

  static constexpr std::size_t kMostTables = 32;
  static constexpr std::uint64_t kMostBuckets = std::uint64_t{1} << 40U;

  CuckooFilter() = default;
  static Mark mark_of(std::string_view value);
  static std::uint64_t other_bucket(std::uint64_t bucket, unsigned char mark);
  char* bucket(Table& table, std::uint64_t number) const;
  std::string_view bucket(const Table& table, std::uint64_t number) const;
  bool has(const Table& table, const Mark& mark) const;
  bool put_free(Table& table, const Mark& mark) const;
  bool put_moving(Table& table, const Mark& mark) const;
  bool put(const Mark& mark);
  bool grow();
  bool merge_table(const Table& theirs, std::size_t index);
  std::uint64_t buckets_of(std::size_t table) const;
  std::string header() const;

  std::vector<Table> tables_;
  std::uint64_t items_ = 0;
  std::uint64_t deletes_ = 0;
  std::uint64_t buckets_ = 0;
  std::uint16_t bucket_size_ = 2;
  std::uint16_t max_iterations_ = 20;
  std::uint16_t expansion_ = 1;
  std::uint64_t most_bytes_ = 0;
};

}  // namespace weir
