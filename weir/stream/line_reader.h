// Cuts a stream of bytes into lines, as they come, without copying them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/stream/byte_source.h"

namespace weir {

/// Lines end with LF or CRLF; the end is not part of the line. The last one may lack it. A UTF-8 byte order
/// mark at the very start is dropped; every other byte is kept. What is left of a line when the bytes break
/// off (an error, a request to stop) is dropped: half a line would be a wrong value.
class LineReader {
 public:
  /// After the end of every line at least so many bytes can be read, whatever they hold: simdjson needs it.
  static constexpr std::size_t kPadding = 64;

  enum class Found {
    kLine,
    kTooLong,  // its first bytes are given, the rest is skipped
    kEnd,      // of the source, or an error: see status()
  };

  /// Reads `block` bytes at a time (at least 1) and holds lines of up to `max_line` bytes.
  LineReader(std::size_t block, std::size_t max_line);

  /// From now on reads `source`, which must outlive its use. Forgets what was read before. Where the source
  /// begins in the `middle` of a file, no byte order mark is looked for.
  void start(ByteSource& source, bool middle = false);

  /// The next line. The view is valid until the next call of any member but the const ones.
  Found next(std::string_view& line);
  /// Makes the record that next() gave longer by the line that follows, line end between them included. False
  /// when there is none or the record would be longer than max_line; then `record` is not valid any more.
  bool extend(std::string_view& record);
  /// Undoes all extend() since next(): the record is its first line again, and the line after it is read
  /// next.
  std::string_view shrink();

  /// The complete lines, at most `count`, that are there without waiting for more than the first that is not
  /// blank. They are read again by next(). `more` says whether something was there at all. REQUIRES: before
  /// the first next().
  std::vector<std::string_view> peek(std::size_t count, bool& more);

  /// The number of the line that next() gave, from 1. Of its first line, when it was extended.
  std::uint64_t line_number() const { return record_line_; }
  /// How many lines have been read since start().
  std::uint64_t lines() const { return lines_; }
  /// Not ok after a read error.
  const Status& status() const { return status_; }
  bool stopped() const { return stopped_; }

 private:
  bool fill();
  std::vector<std::string_view> lines_at_hand(std::size_t count);
  void make_room();
  bool surely_too_long() const;
  bool find_line_end(std::size_t from);
  void drop_byte_order_mark();
  std::string_view record_view() const;
  Found skip_too_long(std::string_view& line);

  std::size_t block_;
  std::size_t max_line_;
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  ByteSource* source_ = nullptr;

  // 0 <= record_ <= line_end_ <= cursor_ <= filled_ <= capacity_
  std::size_t record_ = 0;    // the record's first byte
  std::size_t line_end_ = 0;  // its end, CR not looked at
  std::size_t cursor_ = 0;    // where the next line begins
  std::size_t filled_ = 0;
  std::size_t first_end_ = 0;     // of the record's first line, counted from record_
  std::size_t first_cursor_ = 0;  // the line after that, counted from record_

  std::uint64_t lines_ = 0;
  std::uint64_t record_line_ = 0;
  bool middle_ = false;
  bool at_end_ = false;
  bool torn_ = false;
  bool stopped_ = false;
  Status status_ = Done{};
};

/// Nothing but white space: no record.
constexpr bool is_blank(std::string_view line) {
  return line.empty() ||
         (line.front() <= ' ' && line.find_first_not_of(" \t\r\v\f") == std::string_view::npos);
}

}  // namespace weir
