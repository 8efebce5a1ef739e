#include "weir/sketch/cuckoo_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "weir/sketch/encoding.h"
#include "weir/sketch/hashes.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kName = "cuckoo filter";
constexpr std::size_t kMostTables = 32;
constexpr std::uint64_t kMostBuckets = std::uint64_t{1} << 40U;

/// Buckets are so small that a call of memchr would take longer than the search.
std::size_t find_mark(std::string_view bucket, char mark) {
  for (std::size_t i = 0; i < bucket.size(); ++i) {
    if (bucket[i] == mark) return i;
  }
  return std::string_view::npos;
}

std::string too_large(std::uint64_t most_bytes) {
  return "it takes more than " + std::to_string(most_bytes) + " bytes";
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
  if (buckets > kMostBuckets) return error_of(kName, too_large(options.most_bytes));
  CuckooFilter filter;
  filter.buckets_ = std::bit_ceil(buckets);
  filter.bucket_size_ = options.bucket_size;
  filter.max_iterations_ = options.max_iterations;
  filter.expansion_ = options.expansion == 0 ? std::uint16_t{0} : std::bit_ceil(options.expansion);
  filter.most_bytes_ = options.most_bytes;
  if (!filter.grow()) return error_of(kName, too_large(options.most_bytes));
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

// ---- Bytes ----

std::string CuckooFilter::header() const {
  ByteWriter out;
  out.put<std::uint64_t>(items_);
  out.put<std::uint64_t>(buckets_);
  out.put<std::uint64_t>(deletes_);
  out.put<std::uint64_t>(tables_.size());
  out.put<std::uint16_t>(bucket_size_);
  out.put<std::uint16_t>(max_iterations_);
  out.put<std::uint16_t>(expansion_);
  return out.take();
}

DumpChunk CuckooFilter::dump(std::uint64_t at) const {
  if (at == 0) return {.next = 1, .bytes = header()};
  return dump_chunk(tables_, at, [](const Table& table) { return std::string_view(table.marks); });
}

Result<CuckooFilter> CuckooFilter::from_header(std::string_view header, std::uint64_t most_bytes) {
  ByteReader in(header, kName);
  CuckooFilter filter;
  filter.most_bytes_ = most_bytes;
  filter.items_ = in.get<std::uint64_t>("the count of values");
  filter.buckets_ = in.get<std::uint64_t>("the number of buckets");
  filter.deletes_ = in.get<std::uint64_t>("the count of deletes");
  const auto tables = in.get<std::uint64_t>("the number of tables");
  filter.bucket_size_ = in.get<std::uint16_t>("the bucket size");
  filter.max_iterations_ = in.get<std::uint16_t>("the iterations");
  filter.expansion_ = in.get<std::uint16_t>("the expansion");
  in.require(std::has_single_bit(filter.buckets_) && filter.buckets_ <= kMostBuckets,
             "its buckets are no power of two, or too many");
  in.require(tables > 0 && tables <= kMostTables, "it has no tables, or more than 32");
  in.require(filter.bucket_size_ > 0 && filter.bucket_size_ <= 255,
             "its bucket size is not between 1 and 255");
  in.require(filter.max_iterations_ > 0, "its iterations are 0");
  in.require(filter.expansion_ == 0 ? tables <= 1 : std::has_single_bit(filter.expansion_),
             "its expansion is no power of two");
  in.require(filter.deletes_ <= kMostRecords, "it counts more than 2^63 deletes");
  for (std::uint64_t i = 0; i < tables && in.ok(); ++i) in.require(filter.grow(), too_large(most_bytes));
  in.require(filter.items_ <= filter.bytes(), "it says that it holds more values than it has places");
  if (Status end = in.finish(); !end) return end.error();
  return filter;
}

Status CuckooFilter::load(std::uint64_t next, std::string_view bytes) {
  const std::uint64_t all = this->bytes();
  if (next == 0 || next - 1 > all || bytes.size() > next - 1) {
    return error_of(kName, "a chunk of " + std::to_string(bytes.size()) + " bytes that ends at " +
                               std::to_string(next) + " does not lie within its " + std::to_string(all) +
                               " bytes");
  }
  load_chunk(tables_, next - 1 - bytes.size(), bytes,
             [](Table& table) -> std::string& { return table.marks; });
  return Done{};
}

std::string CuckooFilter::encode() const {
  ByteWriter out;
  out.put_varint(most_bytes_);
  out.put_text(header());
  for (const Table& table : tables_) out.put_bytes(table.marks);
  return write_frame(SketchKind::cuckoo, out.bytes());
}

Result<CuckooFilter> CuckooFilter::decode(std::string_view bytes) {
  const Result<std::string_view> payload = read_frame(bytes, SketchKind::cuckoo);
  if (!payload) return payload.error();
  ByteReader in(*payload, kName);
  const std::uint64_t most_bytes = in.get_varint("the most bytes");
  const std::string_view header = in.get_text("the header");
  if (!in.ok()) return in.error();
  // No more bytes than stand there.
  Result<CuckooFilter> filter = from_header(header, std::min<std::uint64_t>(most_bytes, in.left()));
  if (!filter) return filter;
  filter->most_bytes_ = most_bytes;
  const std::uint64_t size = filter->bytes();
  const std::string_view marks = in.take(size, "the tables");
  if (in.ok()) filter->load(size + 1, marks).ok();
  in.require(
      filter->items_ == size - static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), '\0')),
      "it says another number of values than it holds");
  if (Status end = in.finish(); !end) return end.error();
  return filter;
}

}  // namespace weir
