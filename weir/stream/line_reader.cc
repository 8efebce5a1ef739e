#include "weir/stream/line_reader.h"

#include <algorithm>
#include <cstring>

namespace weir {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// How much of a line that is too long is shown.
constexpr std::size_t kHead = 256;

}  // namespace

LineReader::LineReader(std::size_t block, std::size_t max_line)
    : block_(std::max<std::size_t>(1, block)), max_line_(std::max<std::size_t>(1, max_line)) {}

void LineReader::start(ByteSource& source, bool middle) {
  source_ = &source;
  middle_ = middle;
  record_ = line_end_ = cursor_ = filled_ = 0;
  lines_ = record_line_ = 0;
  at_end_ = torn_ = stopped_ = false;
  status_ = Done{};
}

LineReader::Found LineReader::next(std::string_view& line) {
  record_ = cursor_;
  if (!find_line_end(record_)) {
    return surely_too_long() ? skip_too_long(line) : Found::kEnd;
  }
  record_line_ = ++lines_;
  if (record_line_ == 1) drop_byte_order_mark();
  first_end_ = line_end_ - record_;
  first_cursor_ = cursor_ - record_;
  line = record_view();
  if (line.size() > max_line_) {
    line = line.substr(0, std::min(kHead, max_line_));
    return Found::kTooLong;
  }
  return Found::kLine;
}

bool LineReader::extend(std::string_view& record) {
  if (!find_line_end(cursor_)) return false;
  ++lines_;
  record = record_view();
  return record.size() <= max_line_;
}

std::string_view LineReader::shrink() {
  line_end_ = record_ + first_end_;
  cursor_ = record_ + first_cursor_;
  lines_ = record_line_;
  return record_view();
}

std::vector<std::string_view> LineReader::peek(std::size_t count, bool& more) {
  std::vector<std::string_view> lines = lines_at_hand(count);
  while (lines.empty() && !at_end_ && filled_ <= max_line_) {
    fill();
    lines = lines_at_hand(count);
  }
  more = !lines.empty() || filled_ > max_line_;
  return lines;
}

/// The lines that the buffer holds whole, the blank ones left out.
std::vector<std::string_view> LineReader::lines_at_hand(std::size_t count) {
  std::vector<std::string_view> lines;
  while (lines.size() < count && cursor_ < filled_) {
    record_ = cursor_;
    const void* newline = std::memchr(data_.get() + record_, '\n', filled_ - record_);
    if (newline == nullptr && (!at_end_ || torn_)) break;
    line_end_ = newline != nullptr ? static_cast<std::size_t>(static_cast<const char*>(newline) - data_.get())
                                   : filled_;
    cursor_ = std::min(filled_, line_end_ + 1);
    if (record_ == 0) drop_byte_order_mark();
    if (const std::string_view line = record_view(); !is_blank(line)) lines.push_back(line);
  }
  record_ = cursor_ = line_end_ = 0;
  return lines;
}

/// Looks for the end of the line that has no line end before `from`, reading on as needed. False at the end
/// of the source and when the record is longer than max_line for certain.
bool LineReader::find_line_end(std::size_t from) {
  for (;;) {
    const void* newline = from < filled_ ? std::memchr(data_.get() + from, '\n', filled_ - from) : nullptr;
    if (newline != nullptr) {
      line_end_ = static_cast<std::size_t>(static_cast<const char*>(newline) - data_.get());
      cursor_ = line_end_ + 1;
      return true;
    }
    if (surely_too_long()) return false;
    from = filled_ - record_;
    if (!fill()) break;
    from += record_;
  }
  if (torn_ || cursor_ >= filled_) return false;
  line_end_ = cursor_ = filled_;
  return true;
}

bool LineReader::surely_too_long() const {
  const std::size_t held = filled_ - record_;
  // One byte more than max_line may be the CR of a CRLF, and the first line may begin with a byte order mark.
  const std::size_t not_counted = 1 + (lines_ == 0 ? kByteOrderMark.size() : 0);
  return held > max_line_ && held - max_line_ > not_counted;
}

/// Reads once. The record moves to the front. False when nothing more comes.
bool LineReader::fill() {
  if (at_end_) return false;
  make_room();
  const Result<ReadOutcome> outcome = source_->read({data_.get() + filled_, capacity_ - filled_});
  if (!outcome) status_ = outcome.error();
  stopped_ = outcome.ok() && outcome->stopped;
  torn_ = !outcome.ok() || stopped_;
  at_end_ = !outcome.ok() || outcome->count == 0;
  if (outcome) filled_ += outcome->count;
  return !at_end_;
}

void LineReader::make_room() {
  if (record_ > 0) {
    std::memmove(data_.get(), data_.get() + record_, filled_ - record_);
    filled_ -= record_;
    cursor_ -= record_;
    line_end_ -= std::min(line_end_, record_);
    record_ = 0;
  }
  if (filled_ < capacity_) return;
  const std::size_t larger = std::max(block_, capacity_ * 2);
  auto data = std::make_unique<char[]>(larger + kPadding);
  if (filled_ > 0) std::memcpy(data.get(), data_.get(), filled_);
  data_ = std::move(data);
  capacity_ = larger;
}

void LineReader::drop_byte_order_mark() {
  if (middle_) return;
  const std::string_view text(data_.get() + record_, line_end_ - record_);
  if (text.starts_with(kByteOrderMark)) record_ += kByteOrderMark.size();
}

std::string_view LineReader::record_view() const {
  std::string_view text(data_.get() + record_, line_end_ - record_);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

LineReader::Found LineReader::skip_too_long(std::string_view& line) {
  record_line_ = ++lines_;
  line_end_ = filled_;
  if (record_line_ == 1) drop_byte_order_mark();
  const std::size_t head = std::min(kHead, max_line_);
  for (;;) {
    // Only the head stays; what came after it is forgotten, and the next bytes take its place.
    filled_ = record_ + head;
    const std::size_t before = head;
    if (!fill()) {
      cursor_ = filled_;
      break;
    }
    const char* fresh = data_.get() + record_ + before;
    const void* newline = std::memchr(fresh, '\n', filled_ - record_ - before);
    if (newline != nullptr) {
      cursor_ = static_cast<std::size_t>(static_cast<const char*>(newline) - data_.get()) + 1;
      break;
    }
  }
  line_end_ = record_ + head;
  first_end_ = head;
  first_cursor_ = cursor_ - record_;
  line = {data_.get() + record_, head};
  return Found::kTooLong;
}

}  // namespace weir
