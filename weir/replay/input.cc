#include "weir/replay/input.h"

#include <algorithm>
#include <limits>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::uint64_t kRecordsPerProgress = 4096;
constexpr std::size_t kExampleBytes = 200;

bool is_access_log(std::string_view format) {
  return format == "combined" || format == "common";
}

/// The field that a dimension comes from when nobody says otherwise.
std::string_view natural_field(std::string_view format, std::string_view dimension) {
  return is_access_log(format) && dimension == "endpoint" ? "path" : dimension;
}

Error no_times(std::string_view format) {
  return Error{"the log has no times (format " + std::string(format) +
               "), and a replay decides by them; name a format that has, such as --format json or combined"};
}

Error map_error(std::string_view dimension, std::string_view field, std::string_view why) {
  std::string message = "--map ";
  message.append(printable(dimension)).append("=").append(printable(field)).append(": ").append(why);
  return Error{message};
}

std::string unknown_dimension(std::string_view dimension, std::span<const std::string> names) {
  std::vector<std::string_view> known(names.begin(), names.end());
  known.emplace_back("cost");
  std::string message = "nothing asks for a dimension \"";
  message.append(printable(dimension)).append("\"").append(did_you_mean(dimension, known));
  return message;
}

}  // namespace

struct ReplayInput::Impl {
  Impl(LogStream stream, const std::vector<std::string>& dimensions, InputOptions wishes)
      : log(std::move(stream)),
        options(std::move(wishes)),
        codec(dimensions),
        values(dimensions.size()),
        whole(log.only_files()),
        files(options.sort_memory),
        pipe(options.lateness, options.sort_memory) {}

  Status find_fields();
  Result<std::optional<FieldId>> find_field(const std::string& dimension);
  Status read_all();
  Result<bool> read_one();
  std::optional<std::uint64_t> take(const Record& record);
  void count_malformed(const Record& record);
  std::optional<std::uint64_t> cost_of(const Record& record) const;
  Result<std::optional<TimedBytes>> next_of_files();
  Result<std::optional<TimedBytes>> next_of_pipe();
  void report_progress();

  LogStream log;
  InputOptions options;
  EventCodec codec;
  std::vector<std::optional<FieldId>> fields;  // one per dimension
  std::optional<FieldId> cost_field;
  std::vector<std::string_view> values;
  std::vector<std::string> absent;

  // Files are sorted completely; as soon as a pipe is among them, all go through the buffer.
  bool whole;
  CompleteOrder files;
  LatenessOrder pipe;
  bool all_read = false;

  std::uint64_t added = 0;
  std::uint64_t given_out = 0;
  std::uint64_t steps_back = 0;
  Nanos previous = std::numeric_limits<Nanos>::min();
  std::uint64_t without_time = 0;
  std::uint64_t malformed = 0;  // those that the log's own parser had nothing against
  std::string malformed_where;
  std::string malformed_example;
  std::optional<Nanos> earliest;
  std::optional<Nanos> latest;
};

Result<std::optional<FieldId>> ReplayInput::Impl::find_field(const std::string& dimension) {
  const auto mapped = options.fields.find(dimension);
  const bool asked_for = mapped != options.fields.end();
  const std::string_view name = asked_for ? mapped->second : natural_field(log.format(), dimension);
  const Result<FieldId> id = log.want(name);
  if (id) return std::optional(*id);
  if (asked_for) return map_error(dimension, mapped->second, id.error().message);
  return std::optional<FieldId>();
}

Status ReplayInput::Impl::find_fields() {
  const std::span<const std::string> names = codec.names();
  for (const auto& [dimension, field] : options.fields) {
    if (dimension == "cost" || std::find(names.begin(), names.end(), dimension) != names.end()) continue;
    return map_error(dimension, field, unknown_dimension(dimension, names));
  }
  for (const std::string& name : names) {
    const auto field = find_field(name);
    if (!field) return field.error();
    if (!*field) absent.push_back(name);
    fields.push_back(*field);
  }
  const auto cost = find_field("cost");
  if (!cost) return cost.error();
  cost_field = *cost;
  return Done{};
}

void ReplayInput::Impl::report_progress() {
  if (!options.progress) return;
  const LogCounts& counts = log.counts();
  options.progress({counts.bytes, counts.total_bytes, counts.records, given_out, !all_read});
}

std::optional<std::uint64_t> ReplayInput::Impl::cost_of(const Record& record) const {
  const auto text = cost_field ? record.field(*cost_field) : std::nullopt;
  return text && !text->empty() ? parse_uint(*text) : 1;
}

void ReplayInput::Impl::count_malformed(const Record& record) {
  malformed += record.weight;
  // The first of the log is shown, be it one of these or one of the parser's.
  if (!malformed_where.empty() || log.counts().malformed > 0) return;
  malformed_where = "record " + std::to_string(log.counts().records);
  malformed_example = record.line.substr(0, kExampleBytes);
}

/// The cost of the request that the record is, if it is one. Leaves its dimensions in `values`.
std::optional<std::uint64_t> ReplayInput::Impl::take(const Record& record) {
  const auto cost = cost_of(record);
  if (!record.time) ++without_time;
  if (!record.time || !cost) {
    count_malformed(record);
    return std::nullopt;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    values[i] = fields[i] ? record.field(*fields[i]).value_or(std::string_view()) : std::string_view();
  }
  if (*record.time < previous) ++steps_back;
  previous = *record.time;
  earliest = std::min(earliest.value_or(*record.time), *record.time);
  latest = std::max(latest.value_or(*record.time), *record.time);
  return cost;
}

/// Reads one record into the sorter; false at the end of the log.
Result<bool> ReplayInput::Impl::read_one() {
  Record record;
  if (!log.next(record)) {
    all_read = true;
    pipe.finish();
    if (added == 0 && without_time > 0) return no_times(log.format());
    return false;
  }
  if (log.counts().records % kRecordsPerProgress == 0) report_progress();
  const auto cost = take(record);
  if (!cost) return log.format() == "lines" ? Result<bool>(no_times("lines")) : true;
  ++added;
  const TimedBytes event{*record.time, codec.encode(values, *cost, record.weight)};
  if (!whole) {
    pipe.add(event);
  } else if (const Status kept = files.add(event); !kept) {
    return kept.error();
  }
  return true;
}

Result<std::optional<TimedBytes>> ReplayInput::Impl::next_of_files() {
  while (!all_read) {
    const Result<bool> more = read_one();
    if (!more) return more.error();
  }
  return files.next();
}

Result<std::optional<TimedBytes>> ReplayInput::Impl::next_of_pipe() {
  for (;;) {
    if (const auto event = pipe.next()) return event;
    if (all_read) return std::optional<TimedBytes>();
    const Result<bool> more = read_one();
    if (!more) return more.error();
  }
}

ReplayInput::ReplayInput(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ReplayInput::ReplayInput(ReplayInput&&) noexcept = default;
ReplayInput& ReplayInput::operator=(ReplayInput&&) noexcept = default;
ReplayInput::~ReplayInput() = default;

Result<ReplayInput> ReplayInput::open(LogStream log, const std::vector<std::string>& dimensions,
                                      InputOptions options) {
  ReplayInput input(std::make_unique<Impl>(std::move(log), dimensions, std::move(options)));
  if (const Status found = input.impl_->find_fields(); !found) return found.error();
  return input;
}

Result<std::optional<Event>> ReplayInput::next() {
  Result<std::optional<TimedBytes>> event = impl_->whole ? impl_->next_of_files() : impl_->next_of_pipe();
  if (!event) return event.error();
  if (!*event) return std::optional<Event>();
  if (++impl_->given_out % kRecordsPerProgress == 0 && impl_->whole) impl_->report_progress();
  return std::optional(impl_->codec.decode(**event));
}

const Status& ReplayInput::status() const {
  return impl_->log.status();
}

bool ReplayInput::only_files() const {
  return impl_->whole;
}

InputSummary ReplayInput::summary() const {
  const LogCounts& counts = impl_->log.counts();
  InputSummary summary{.format = std::string(impl_->log.format()),
                       .records = counts.records,
                       .malformed = counts.malformed + impl_->malformed,
                       .too_long = counts.too_long};
  const bool ours = !impl_->malformed_where.empty();
  summary.malformed_where = ours ? impl_->malformed_where : counts.malformed_where;
  summary.malformed_example = ours ? impl_->malformed_example : counts.malformed_example;
  summary.reordered = impl_->steps_back;
  summary.out_of_order = impl_->whole ? impl_->files.reordered() : impl_->pipe.reordered();
  if (!impl_->whole) {
    summary.late = impl_->pipe.late();
    summary.worst_lateness = impl_->pipe.worst_lateness();
    summary.lateness = impl_->options.lateness;
  }
  summary.from = impl_->earliest;
  summary.to = impl_->latest;
  summary.absent = impl_->absent;
  return summary;
}

TimeFrame ReplayInput::frame() const {
  const Nanos first = impl_->earliest.value_or(0);
  if (impl_->whole) return {first, saturating_sub(impl_->latest.value_or(first), first)};
  // A pipe may still bring any later time, and one that is late by its buffer or more.
  return {std::min<Nanos>(0, saturating_sub(first, impl_->options.lateness)), kForever};
}

std::optional<std::uint64_t> ReplayInput::events() const {
  return impl_->whole && impl_->all_read ? std::optional(impl_->added) : std::nullopt;
}

}  // namespace weir
