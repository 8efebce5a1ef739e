#include "weir/stream/log_stream.h"

#include <algorithm>
#include <utility>

#include "weir/base/clock.h"
#include "weir/stream/detect.h"
#include "weir/stream/format.h"
#include "weir/stream/line_reader.h"
#include "weir/stream/log_inputs.h"
#include "weir/stream/plain_lines.h"

namespace weir {
namespace {

/// How many records `auto` looks at.
constexpr std::size_t kPeekedRecords = 20;
constexpr std::size_t kExampleBytes = 200;

enum class Step { kRecord, kSkipped, kHeader, kEnd };

}  // namespace

struct LogStream::Impl {
  Impl(LogOptions wishes, LogInputs files)
      : options(std::move(wishes)), inputs(std::move(files)), reader(options.block, options.max_line) {
    format_options.year = options.year;
    format_options.now = options.now ? *options.now : read_system_clocks().wall;
    counts.total_bytes = inputs.total_bytes();
  }

  Status start();
  std::vector<std::string_view> peek_lines();
  Status read_header();
  bool open_next();
  void begin_input();
  void survey_input();
  Step step(Record& record);
  Step step_record(std::string_view line, Record& record);
  Step step_end();
  Step refuse_header(const std::string& problem);
  void count_malformed(std::string_view text);

  LogOptions options;
  FormatOptions format_options;
  LogInputs inputs;
  LineReader reader;
  std::unique_ptr<Format> format;
  std::optional<LogInput> input;
  std::uint64_t bytes_of_past_inputs = 0;
  /// Nothing was there to choose a format or to learn the columns from: then every field may be asked for.
  bool nothing_known = false;
  bool ended = false;
  LogCounts counts;
  Status status = Done{};

  std::vector<std::string> names;
  std::optional<std::size_t> line_slot;
  std::vector<std::optional<std::string_view>> values;
  Parts parts;
};

/// Opens the next input; false when there is none, or it can't be opened.
bool LogStream::Impl::open_next() {
  if (input) bytes_of_past_inputs += input->bytes->consumed();
  input.reset();
  Result<std::optional<LogInput>> next = inputs.next();
  if (!next) status = next.error();
  if (!next || !*next) return false;
  input = std::move(**next);
  reader.start(*input->bytes, input->middle);
  if (format) begin_input();
  return true;
}

void LogStream::Impl::begin_input() {
  if (input->regular && format->needs_survey()) survey_input();
  format->begin_file(input->modified);
}

/// Nothing of the input has been given out yet, so that it can be read twice.
void LogStream::Impl::survey_input() {
  if (!input->bytes->rewind()) return;
  reader.start(*input->bytes);
  std::string_view line;
  for (auto found = reader.next(line); found != LineReader::Found::kEnd; found = reader.next(line)) {
    if (found == LineReader::Found::kLine) format->survey(line);
  }
  input->bytes->rewind();
  reader.start(*input->bytes);
}

Status LogStream::Impl::start() {
  const bool automatic = options.format == "auto";
  std::vector<std::string_view> lines;
  if (automatic || (options.glance && options.format == "json")) lines = peek_lines();
  Result<std::unique_ptr<Format>> made =
      make_format(automatic ? choose_format(lines) : options.format, format_options);
  if (!made) return made.error();
  format = std::move(made).value();
  if (options.glance) format->glance(lines);
  if (options.lines_only && !format->has_header()) format = std::make_unique<PlainLines>();
  if (input) begin_input();
  if (!status || !format->has_header()) return status;
  return read_header();
}

/// The first records of the first input that has any. They will be read again.
std::vector<std::string_view> LogStream::Impl::peek_lines() {
  std::vector<std::string_view> lines;
  bool more = false;
  while (!more && status && open_next()) {
    lines = reader.peek(kPeekedRecords, more);
    // With no line to give, an input that can't be read would pass for an empty one.
    if (!more && !reader.status()) status = reader.status();
  }
  nothing_known = !more;
  return lines;
}

/// Reads on until the columns are known.
Status LogStream::Impl::read_header() {
  Record unused;
  Step last = Step::kSkipped;
  while (last == Step::kSkipped) last = step(unused);
  nothing_known = last == Step::kEnd;
  return status;
}

Step LogStream::Impl::step(Record& record) {
  if (ended) return Step::kEnd;
  if (!input) return step_end();
  std::string_view line;
  switch (reader.next(line)) {
    case LineReader::Found::kEnd:
      return step_end();
    case LineReader::Found::kTooLong:
      // The next line would pass for the header.
      if (format->awaits_header()) {
        return refuse_header("the header line is longer than --max-line, " +
                             std::to_string(options.max_line) + " bytes");
      }
      ++counts.too_long;
      count_malformed(line);
      return Step::kSkipped;
    case LineReader::Found::kLine:
      break;
  }
  return is_blank(line) ? Step::kSkipped : step_record(line, record);
}

Step LogStream::Impl::step_record(std::string_view line, Record& record) {
  std::fill(values.begin(), values.end(), std::nullopt);
  parts.fields = values;
  parts.time.reset();
  parts.weight = 1;
  Parsed parsed = format->parse(line, parts);
  while (parsed == Parsed::kUnfinished) {
    if (reader.extend(line)) {
      parsed = format->resume(line, parts);
    } else if (format->awaits_header() && reader.status() && !reader.stopped()) {
      return refuse_header("the header line can't be read: a quote in it does not end within --max-line, " +
                           std::to_string(options.max_line) + " bytes");
    } else {
      parsed = Parsed::kMalformed;
    }
  }
  switch (parsed) {
    case Parsed::kRecord:
      break;
    case Parsed::kHeader:
      return Step::kHeader;
    case Parsed::kBadHeader:
      return refuse_header(parts.header_problem);
    default:
      // Only the first line is given up: what looks like the rest of it may be good records behind a stray
      // quote.
      count_malformed(reader.shrink());
      return Step::kSkipped;
  }
  if (line_slot) values[*line_slot] = line;
  counts.records += parts.weight;
  record.line = line;
  record.fields = values;
  record.time = parts.time;
  record.weight = parts.weight;
  return Step::kRecord;
}

Step LogStream::Impl::step_end() {
  if (input && !reader.status()) status = reader.status();
  ended = !status || (input && reader.stopped()) || !open_next();
  return ended ? Step::kEnd : Step::kSkipped;
}

Step LogStream::Impl::refuse_header(const std::string& problem) {
  status = Error{input->name + ": " + problem};
  ended = true;
  return Step::kEnd;
}

void LogStream::Impl::count_malformed(std::string_view text) {
  ++counts.records;
  ++counts.malformed;
  if (counts.malformed > 1) return;
  counts.malformed_line = reader.line_number();
  counts.malformed_where = input->name + ':' + std::to_string(counts.malformed_line);
  counts.malformed_example = text.substr(0, kExampleBytes);
}

Result<LogStream> LogStream::open(std::vector<std::string> paths, LogOptions options) {
  if (paths.empty()) paths.emplace_back("-");
  Result<LogInputs> inputs = LogInputs::of_paths(std::move(paths), options.stop);
  if (!inputs) return inputs.error();
  return begin(std::make_unique<Impl>(std::move(options), std::move(inputs).value()));
}

Result<LogStream> LogStream::open_memory(std::string_view text, LogOptions options) {
  const std::size_t piece = options.block;
  return begin(std::make_unique<Impl>(std::move(options), LogInputs::of_memory(text, piece)));
}

Result<LogStream> LogStream::open_part(LogInput part, LogOptions options) {
  return begin(std::make_unique<Impl>(std::move(options), LogInputs::of_input(std::move(part))));
}

Result<LogStream> LogStream::begin(std::unique_ptr<Impl> impl) {
  if (const Status started = impl->start(); !started) return started.error();
  return LogStream(std::move(impl));
}

LogStream::LogStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LogStream::LogStream(LogStream&&) noexcept = default;
LogStream& LogStream::operator=(LogStream&&) noexcept = default;
LogStream::~LogStream() = default;

std::string_view LogStream::format() const {
  return impl_->format->name();
}

std::vector<std::string> LogStream::fields() const {
  return impl_->format->fields();
}

Result<FieldId> LogStream::want(std::string_view name) {
  std::vector<std::string>& names = impl_->names;
  const auto known = std::find(names.begin(), names.end(), name);
  const auto slot = static_cast<std::size_t>(known - names.begin());
  if (known != names.end()) return FieldId{static_cast<std::uint32_t>(slot)};
  if (name == "line") {
    impl_->line_slot = slot;
  } else if (const Status wanted = impl_->format->want(name, slot); !wanted && !impl_->nothing_known) {
    return wanted.error();
  }
  names.emplace_back(name);
  impl_->values.resize(names.size());
  return FieldId{static_cast<std::uint32_t>(slot)};
}

const std::vector<std::string>& LogStream::wanted() const {
  return impl_->names;
}

bool LogStream::only_files() const {
  return impl_->inputs.only_files();
}

bool LogStream::next(Record& record) {
  for (;;) {
    const Step step = impl_->step(record);
    if (step == Step::kRecord) return true;
    if (step == Step::kEnd) return false;
  }
}

const LogCounts& LogStream::counts() const {
  impl_->counts.lines = impl_->reader.lines();
  impl_->counts.bytes = impl_->bytes_of_past_inputs + (impl_->input ? impl_->input->bytes->consumed() : 0);
  return impl_->counts;
}

const Status& LogStream::status() const {
  return impl_->status;
}

}  // namespace weir
