// What the fuzz targets of weir/stream share: any bytes read as a log of a given format, and what must hold
// then.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/stream/line_reader.h"
#include "weir/stream/log_stream.h"

namespace weir {

/// Ends the run where something does not hold that must.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The bytes of an input: the first two choose how it is read, the others are read.
struct FuzzedLog {
  FuzzedLog(const std::uint8_t* data, std::size_t size) : bytes(reinterpret_cast<const char*>(data), size) {
    if (size < 2) return;
    block = 1 + data[0] % 64U;
    max_line = data[1] < 128 ? std::size_t{1} << 20U : data[1] - 127U;
    bytes.remove_prefix(2);
  }

  std::string_view bytes;
  std::size_t block = 1;
  std::size_t max_line = std::size_t{1} << 20U;
};

/// What came of reading: enough to tell whether two readings were the same.
struct FuzzedReading {
  std::vector<std::string> values;  // lines, fields, times and weights, one after another
  LogCounts counts;
  std::uint64_t rows = 0;
  std::uint64_t weight = 0;
  bool ok = true;
};

inline bool is_compressed(std::string_view bytes) {
  return bytes.starts_with("\x1F\x8B") || bytes.starts_with("\x28\xB5\x2F\xFD") ||
         (bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0U) == 0x50U &&
          bytes.substr(1, 3) == "\x2A\x4D\x18");
}

/// Reads the whole log. Values that fail to be memory of ours are found by the sanitizers.
inline FuzzedReading read_fuzzed(const FuzzedLog& log, const std::string& format,
                                 const std::vector<std::string>& fields, std::size_t block) {
  FuzzedReading reading;
  const LogOptions options{
      .format = format, .max_line = log.max_line, .now = 1'700'000'000 * kSecond, .block = block};
  Result<LogStream> stream = LogStream::open_memory(log.bytes, options);
  reading.ok = stream.ok();
  if (!stream) return reading;
  std::vector<FieldId> ids;
  for (const std::string& field : fields) {
    if (const Result<FieldId> id = stream->want(field)) ids.push_back(*id);
  }
  Record record;
  while (stream->next(record)) {
    ++reading.rows;
    reading.weight += record.weight;
    require(record.weight > 0);
    require(record.line.size() <= log.max_line);
    require(!is_blank(record.line));
    require(record.line.empty() || record.line.data() != nullptr);
    require(is_compressed(log.bytes) || log.bytes.find(record.line) != std::string_view::npos);
    reading.values.emplace_back(record.line);
    for (const FieldId id : ids) {
      const std::optional<std::string_view> value = record.field(id);
      // A byte that is not UTF-8 becomes the three of U+FFFD; nothing else grows.
      require(!value || value->size() <= record.line.size() * 3);
      reading.values.emplace_back(value ? '=' + std::string(*value) : "-");
    }
    reading.values.push_back(record.time ? std::to_string(*record.time) : "-");
  }
  require(!stream->next(record));
  reading.ok = stream->status().ok();
  reading.counts = stream->counts();
  require(reading.counts.records == reading.weight + reading.counts.malformed);
  require(reading.counts.too_long <= reading.counts.malformed);
  require((reading.counts.malformed > 0) == !reading.counts.malformed_where.empty());
  return reading;
}

inline std::uint64_t count_records(std::string_view bytes, std::size_t max_line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::uint64_t count = 0;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    count += line.size() > max_line || !is_blank(line) ? 1 : 0;
  }
  return count;
}

/// Reads the input in small blocks and in one: both must agree.
inline FuzzedReading read_twice(const FuzzedLog& log, const std::string& format,
                                const std::vector<std::string>& fields) {
  FuzzedReading small = read_fuzzed(log, format, fields, log.block);
  const FuzzedReading large = read_fuzzed(log, format, fields, log.bytes.size() + 1);
  require(small.ok == large.ok);
  require(small.values == large.values);
  require(small.counts.records == large.counts.records);
  require(small.counts.malformed == large.counts.malformed);
  require(small.counts.too_long == large.counts.too_long);
  require(small.counts.malformed_where == large.counts.malformed_where);
  return small;
}

/// For formats in which every line that is not blank is one record, good or bad.
inline int fuzz_line_format(const std::uint8_t* data, std::size_t size, const std::string& format,
                            const std::vector<std::string>& fields) {
  const FuzzedLog log(data, size);
  if (is_compressed(log.bytes)) return 0;
  const FuzzedReading reading = read_twice(log, format, fields);
  require(reading.ok);
  require(reading.rows + reading.counts.malformed == count_records(log.bytes, log.max_line));
  return 0;
}

}  // namespace weir
