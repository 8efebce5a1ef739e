#include "weir/sketch/cuckoo_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kName = "cuckoo filter";

/// Buckets are so small that a call of memchr would take longer than the search.
std::size_t find_mark(std::string_view bucket, char mark) {
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    if (bucket[i] == mark) return i;
  }
  return std::string_view::npos;
}

}  // namespace

Result<CuckooFilter> CuckooFilter::make(const Options& options) {
  if (options.bucket_size == 0 || options.bucket_size > 255) {
    return error_of(kName, "the bucket size is " + std::to_string(options.bucket_size) +
                               "; it must lie between 1 and 255");
  }
  if (options.max_iterations == 0) return error_of(kName, "the iterations are 0; they must be at least 1");
  if (options.expansion > 32768) return error_of(kName, "the expansion is above 32768");
  if (options.capacity < std::uint64_t{2} * options.bucket_size) {
    return error_of(kName, "the capacity is " + std::to_string(options.capacity) +
                               "; it must be at least twice the bucket size");
  }
  const std::uint64_t buckets = (options.capacity - 1) / options.bucket_size + 1;
  if (buckets > kMostBuckets)
    return error_of(kName, "it takes more than " + std::to_string(options.most_bytes) + " bytes");
  CuckooFilter filter;
  filter.buckets_ = std::bit_ceil(buckets);
  filter.bucket_size_ = options.bucket_size;
  filter.max_iterations_ = options.max_iterations;
  filter.expansion_ = options.expansion == 0 ? std::uint16_t{0} : std::bit_ceil(options.expansion);
  filter.most_bytes_ = options.most_bytes;
  if (!filter.grow())
    return error_of(kName, "it takes more than " + std::to_string(options.most_bytes) + " bytes");
  return filter;
}

std::uint64_t CuckooFilter::buckets_of(std::size_t table) const {
  std::uint64_t buckets = buckets_;
  for (std::size_t i = 0; i < table; ++i) buckets = std::min(buckets * expansion_, kMostBuckets);
  return buckets;
}

bool CuckooFilter::grow() {
  if (tables_.size() >= (expansion_ == 0 ? 1 : kMostTables)) return false;
  const std::uint64_t buckets = buckets_of(tables_.size());
  if (buckets > (most_bytes_ - bytes()) / bucket_size_) return false;
  tables_.push_back({buckets, std::string(static_cast<std::size_t>(buckets * bucket_size_), '\0')});
  return true;
}

// ---- Marks and buckets ----

CuckooFilter::Mark CuckooFilter::mark_of(std::string_view value) {
  const std::uint64_t hash = murmur64a(value, 0);
  const auto mark = static_cast<unsigned char>(hash % 255 + 1);
  return {mark, hash, other_bucket(hash, mark)};
}

/// From either bucket to the other: the buckets of a table are a power of two.
std::uint64_t CuckooFilter::other_bucket(std::uint64_t bucket, unsigned char mark) {
  return bucket ^ (std::uint64_t{mark} * 0x5BD1E995);
}

char* CuckooFilter::bucket(Table& table, std::uint64_t number) const {
  return table.marks.data() + (number & (table.buckets - 1)) * bucket_size_;
}

std::string_view CuckooFilter::bucket(const Table& table, std::uint64_t number) const {
  return std::string_view(table.marks)
      .substr(static_cast<std::size_t>((number & (table.buckets - 1)) * bucket_size_), bucket_size_);
}

bool CuckooFilter::has(const Table& table, const Mark& mark) const {
  const char wanted = static_cast<char>(mark.mark);
  return find_mark(bucket(table, mark.first), wanted) != std::string_view::npos ||
         find_mark(bucket(table, mark.second), wanted) != std::string_view::npos;
}

bool CuckooFilter::put_free(Table& table, const Mark& mark) const {
  for (const std::uint64_t number : {mark.first, mark.second}) {
    const std::size_t place = find_mark(bucket(std::as_const(table), number), '\0');
    if (place == std::string_view::npos) continue;
    bucket(table, number)[place] = static_cast<char>(mark.mark);
    return true;
  }
  return false;
}

/// Puts it where another mark is, and that one into its other bucket, and so on. When no free place comes of
/// it, everything is put back.
bool CuckooFilter::put_moving(Table& table, const Mark& mark) const {
  std::vector<char*> path;
  char moved = static_cast<char>(mark.mark);
  std::uint64_t number = mark.first;
  for (std::size_t i = 0; i < max_iterations_; ++i) {
    char* victim = bucket(table, number) + i % bucket_size_;
    std::swap(moved, *victim);
    path.push_back(victim);
    number = other_bucket(number, static_cast<unsigned char>(moved));
    const std::size_t place = find_mark(bucket(std::as_const(table), number), '\0');
    if (place != std::string_view::npos) {
      bucket(table, number)[place] = moved;
      return true;
    }
  }
  for (auto place = path.rbegin(); place != path.rend(); ++place) std::swap(moved, **place);
  return false;
}

bool CuckooFilter::put(const Mark& mark) {
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
    if (put_free(*table, mark)) return true;
  }
  return put_moving(tables_.back(), mark) || (grow() && put_free(tables_.back(), mark));
}

// ---- Values ----

bool CuckooFilter::add(std::string_view value) {
  if (!put(mark_of(value))) return false;
  ++items_;
  return true;
}

CuckooFilter::Added CuckooFilter::add_fresh(std::string_view value) {
  if (contains(value)) return Added::known;
  return add(value) ? Added::fresh : Added::full;
}

bool CuckooFilter::contains(std::string_view value) const {
  const Mark mark = mark_of(value);
  return std::any_of(tables_.begin(), tables_.end(), [&](const Table& table) { return has(table, mark); });
}

std::uint64_t CuckooFilter::count(std::string_view value) const {
  const Mark mark = mark_of(value);
  std::ptrdiff_t found = 0;
  for (const Table& table : tables_) {
    const std::string_view first = bucket(table, mark.first);
    const std::string_view second = bucket(table, mark.second);
    found += std::count(first.begin(), first.end(), static_cast<char>(mark.mark));
    if (first.data() != second.data()) {
      found += std::count(second.begin(), second.end(), static_cast<char>(mark.mark));
    }
  }
  return static_cast<std::uint64_t>(found);
}

bool CuckooFilter::remove(std::string_view value) {
  const Mark mark = mark_of(value);
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
    for (const std::uint64_t number : {mark.first, mark.second}) {
      const std::size_t place =
          find_mark(bucket(std::as_const(*table), number), static_cast<char>(mark.mark));
      if (place == std::string_view::npos) continue;
      bucket(*table, number)[place] = '\0';
      items_ -= items_ > 0 ? 1 : 0;  // the header of a loaded dump may have said less than was loaded
      ++deletes_;
      return true;
    }
  }
  return false;
}

void CuckooFilter::add(std::span<const std::string_view> values, std::span<bool> added) {
  for (std::size_t i = 0; i < values.size(); ++i) added[i] = add(values[i]);
}

void CuckooFilter::contains(std::span<const std::string_view> values, std::span<bool> found) const {
  for (std::size_t i = 0; i < values.size(); ++i) found[i] = contains(values[i]);
}

/// A bucket's number is known modulo the buckets of its table, so that its marks fit a table of as many or
/// fewer.
bool CuckooFilter::merge_table(const Table& theirs, std::size_t index) {
  for (std::uint64_t at = 0; at < theirs.marks.size(); ++at) {
    const auto byte = static_cast<unsigned char>(theirs.marks[static_cast<std::size_t>(at)]);
    if (byte == 0) continue;
    const std::uint64_t number = at / bucket_size_;
    const Mark mark{byte, number, other_bucket(number, byte)};
    bool put = false;
    for (;;) {
      for (std::size_t i = tables_.size(); i-- > 0 && !put;) {
        if (tables_[i].buckets <= theirs.buckets)
          put = put_free(tables_[i], mark) || put_moving(tables_[i], mark);
      }
      const bool helps = tables_.size() <= index || buckets_of(tables_.size()) <= theirs.buckets;
      if (put || !helps || !grow()) break;
    }
    if (!put) return false;
    ++items_;
  }
  return true;
}

Status CuckooFilter::merge(const CuckooFilter& other) {
  if (Status same = check_same(buckets_, other.buckets_, "the number of buckets", kName); !same) return same;
  if (Status same = check_same(bucket_size_, other.bucket_size_, "the bucket size", kName); !same)
    return same;
  if (Status same = check_same(expansion_, other.expansion_, "the expansion", kName); !same) return same;
  if (Status can = check_count(deletes_, other.deletes_, kName); !can) return can;
  CuckooFilter merged = *this;
  for (std::size_t i = 0; i < other.tables_.size(); ++i) {
    if (!merged.merge_table(other.tables_[i], i)) {
      return error_of(kName, "can't merge: there is no room for the values of both");
    }
  }
  merged.deletes_ += other.deletes_;
  *this = std::move(merged);
  return Done{};
}

std::uint64_t CuckooFilter::bytes() const {
  std::uint64_t sum = 0;
  for (const Table& table : tables_) sum += table.marks.size();
  return sum;
}

double CuckooFilter::error_rate() const {
  // Each mark in the two buckets of each table is the wanted one with a chance of 1 in 255.
  double compared = 0;
  for (const Table& table : tables_) {
    const auto free = std::count(table.marks.begin(), table.marks.end(), '\0');
    compared +=
        2.0 * bucket_size_ * (1 - static_cast<double>(free) / static_cast<double>(table.marks.size()));
  }
  return -std::expm1(compared * std::log1p(-1.0 / 255));
}

}  // namespace weir
