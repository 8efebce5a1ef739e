#include "weir/stream/part_readers.h"

#include <utility>

#include "weir/stream/record_codec.h"

namespace weir {

PartReaders::PartReaders(LogParts& parts, const Task& task, unsigned threads)
    : parts_(parts), task_(task), window_(std::size_t{threads} + 2), working_(threads) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

PartReaders::~PartReaders() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  room_.notify_all();
  threads_.clear();
}

void PartReaders::work() {
  bool more = true;
  while (more && wait_for_room()) {
    const Result<std::optional<LogPart>> part = parts_.next();
    if (!part) {
      // Sorts behind every part that there is.
      ReadPart failed;
      failed.status = part.error();
      hand_over(~std::uint64_t{0}, std::move(failed));
    }
    more = part.ok() && part->has_value();
    if (more) hand_over((*part)->number, read(**part));
  }
  const std::lock_guard lock(mutex_);
  --working_;
  ready_.notify_all();
}

bool PartReaders::wait_for_room() {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return quit_ || ahead_ < window_; });
  ++ahead_;
  return !quit_;
}

void PartReaders::hand_over(std::uint64_t number, ReadPart part) {
  const std::lock_guard lock(mutex_);
  done_.emplace(number, std::move(part));
  ready_.notify_all();
}

std::optional<ReadPart> PartReaders::next() {
  std::unique_lock lock(mutex_);
  // Parts are taken in order, so that the next one is being read by somebody unless nobody works any more.
  ready_.wait(lock, [&] { return done_.contains(next_) || working_ == 0; });
  if (done_.empty()) return std::nullopt;
  auto first = done_.extract(done_.begin());
  ++next_;
  --ahead_;
  room_.notify_one();
  return std::move(first.mapped());
}

void PartReaders::recycle(std::string buffer) {
  // One that a very long record has made large is not kept.
  constexpr std::size_t kUsualBytes = std::size_t{4} << 20U;
  if (buffer.capacity() > kUsualBytes) return;
  buffer.clear();
  const std::lock_guard lock(mutex_);
  buffers_.push_back(std::move(buffer));
}

std::string PartReaders::take_buffer() {
  const std::lock_guard lock(mutex_);
  if (buffers_.empty()) return {};
  std::string buffer = std::move(buffers_.back());
  buffers_.pop_back();
  return buffer;
}

ReadPart PartReaders::read(const LogPart& part) {
  ReadPart out;
  out.file = part.file->name();
  out.first_of_file = part.begin == 0;
  out.records = take_buffer();
  try {
    LogInput input{.name = out.file, .regular = true, .middle = part.begin > 0};
    input.bytes = std::make_unique<RangeSource>(part.file, part.begin, part.end, task_.log.stop);
    Result<LogStream> log = LogStream::open_part(std::move(input), task_.log);
    if (log) {
      read_records(*log, out);
    } else {
      out.status = log.error();
    }
  } catch (...) {
    out.thrown = std::current_exception();
  }
  return out;
}

void PartReaders::read_records(LogStream& log, ReadPart& out) const {
  for (const std::string& field : task_.fields) {
    if (const auto id = log.want(field); !id) out.status = id.error();
  }
  Record record;
  while (out.status && log.next(record)) {
    if (task_.where.holds(record)) RecordCodec::append(out.records, record);
  }
  out.counts = log.counts();
  if (out.status) out.status = log.status();
}

}  // namespace weir
