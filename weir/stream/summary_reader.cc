#include "weir/stream/summary_reader.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "weir/stream/log_parts.h"
#include "weir/stream/part_readers.h"
#include "weir/stream/record_codec.h"

namespace weir {
namespace {

constexpr std::uint64_t kRecordsPerProgress = 4096;
/// What one thread asks for at a time of its part.
constexpr std::size_t kPartBlock = std::size_t{128} << 10U;

unsigned threads_for(const SummaryReaderOptions& options, std::uint64_t bytes) {
  const unsigned cores =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t parts = bytes / std::max<std::uint64_t>(1, options.part_bytes) + 1;
  return static_cast<unsigned>(std::min<std::uint64_t>({cores, SummaryReader::kMostThreads, parts}));
}

}  // namespace

struct SummaryReader::Impl {
  Impl(SummaryReaderOptions wishes, std::unique_ptr<LogParts> cut, LogStream stream)
      : options(std::move(wishes)), parts(std::move(cut)), log(std::move(stream)) {}

  void run_stream(const std::function<void(const Record&)>& take);
  void run_parts(const std::function<void(const Record&)>& take, unsigned threads);
  void absorb(const ReadPart& part);
  void report(const LogCounts& now) const;

  SummaryReaderOptions options;
  /// Nothing where the input can't be cut.
  std::unique_ptr<LogParts> parts;
  LogStream log;
  Where where;
  std::uint64_t given_out = 0;
  LogCounts counts;
  Status status = Done{};
};

Result<SummaryReader> SummaryReader::open(std::vector<std::string> paths, SummaryReaderOptions options) {
  if (paths.empty()) paths.emplace_back("-");
  std::unique_ptr<LogParts> parts;
  // Looked at first: where standard input stands is forgotten when it is read.
  if (std::count(paths.begin(), paths.end(), "-") <= 1) {
    Result<std::unique_ptr<LogParts>> cut = LogParts::of_paths(paths, options.part_bytes);
    if (!cut) return cut.error();
    parts = std::move(cut).value();
  }
  Result<LogStream> log = LogStream::open(std::move(paths), options.log);
  if (!log) return log.error();
  if (!can_be_split(log->format())) parts.reset();
  return SummaryReader(std::make_unique<Impl>(std::move(options), std::move(parts), std::move(log).value()));
}

SummaryReader::SummaryReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SummaryReader::SummaryReader(SummaryReader&&) noexcept = default;
SummaryReader& SummaryReader::operator=(SummaryReader&&) noexcept = default;
SummaryReader::~SummaryReader() = default;

std::string_view SummaryReader::format() const {
  return impl_->log.format();
}

std::vector<std::string> SummaryReader::fields() const {
  return impl_->log.fields();
}

Result<FieldId> SummaryReader::want(std::string_view name) {
  return impl_->log.want(name);
}

std::size_t SummaryReader::wanted() const {
  return impl_->log.wanted().size();
}

bool SummaryReader::only_files() const {
  return impl_->log.only_files();
}

Status SummaryReader::filter(Where where) {
  if (Status bound = where.bind([&](std::string_view name) { return want(name); }); !bound) return bound;
  impl_->where = std::move(where);
  return Done{};
}

void SummaryReader::run(const std::function<void(const Record&)>& take) {
  const unsigned threads = impl_->parts ? threads_for(impl_->options, impl_->parts->total_bytes()) : 1;
  if (threads > 1) {
    impl_->run_parts(take, threads);
  } else {
    impl_->run_stream(take);
  }
}

void SummaryReader::Impl::run_stream(const std::function<void(const Record&)>& take) {
  Record record;
  std::uint64_t until_report = kRecordsPerProgress;
  while (log.next(record)) {
    if (--until_report == 0) {
      until_report = kRecordsPerProgress;
      report(log.counts());
    }
    if (!where.holds(record)) continue;
    given_out += record.weight;
    take(record);
  }
  counts = log.counts();
  status = log.status();
}

void SummaryReader::Impl::run_parts(const std::function<void(const Record&)>& take, unsigned threads) {
  PartReaders::Task task{.log = options.log, .fields = log.wanted(), .where = where};
  task.log.format = std::string(log.format());
  task.log.glance = false;
  task.log.block = kPartBlock;
  counts.total_bytes = parts->total_bytes();
  RecordCodec codec(task.fields.size());
  PartReaders readers(*parts, task, threads);
  while (auto part = readers.next()) {
    if (part->thrown) std::rethrow_exception(part->thrown);
    for (std::string_view rest = part->records; !rest.empty();) {
      const Record record = codec.take(rest);
      given_out += record.weight;
      take(record);
    }
    absorb(*part);
    if (!status) break;
    readers.recycle(std::move(part->records));
    report(counts);
  }
}

void SummaryReader::Impl::absorb(const ReadPart& part) {
  if (part.first_of_file) counts.lines = 0;
  if (counts.malformed == 0 && part.counts.malformed > 0) {
    counts.malformed_line = counts.lines + part.counts.malformed_line;
    counts.malformed_where = part.file + ':' + std::to_string(counts.malformed_line);
    counts.malformed_example = part.counts.malformed_example;
  }
  counts.lines += part.counts.lines;
  counts.records += part.counts.records;
  counts.malformed += part.counts.malformed;
  counts.too_long += part.counts.too_long;
  counts.bytes += part.counts.bytes;
  status = part.status;
}

void SummaryReader::Impl::report(const LogCounts& now) const {
  if (options.progress) options.progress({now.bytes, now.total_bytes, now.records});
}

const LogCounts& SummaryReader::counts() const {
  return impl_->counts;
}

std::uint64_t SummaryReader::given_out() const {
  return impl_->given_out;
}

const Status& SummaryReader::status() const {
  return impl_->status;
}

}  // namespace weir
