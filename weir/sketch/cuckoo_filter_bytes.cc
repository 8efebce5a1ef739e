// A cuckoo filter as bytes: RedisBloom's dumps, and Weir's frame around them.
#include <algorithm>
#include <bit>

#include "weir/sketch/cuckoo_filter.h"
#include "weir/sketch/encoding.h"
#include "weir/sketch/seed.h"

namespace weir {
namespace {

constexpr std::string_view kName = "cuckoo filter";

}  // namespace

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
  for (std::uint64_t i = 0; i < tables && in.ok(); ++i)
    in.require(filter.grow(), "it takes more than " + std::to_string(most_bytes) + " bytes");
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
