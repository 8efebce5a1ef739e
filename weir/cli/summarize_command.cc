#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/field_summary.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/summary.h"
#include "weir/cli/table.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/stream/time_histogram.h"

namespace weir {
namespace {

/// No more fields than so many are summarised, so that memory has a ceiling.
constexpr std::size_t kMostFields = 24;
constexpr std::size_t kExamples = 3;

class SummarizeRun {
 public:
  SummarizeRun(const SummaryPlan& plan, SummaryReader& reader, FieldId line, Progress& progress)
      : plan_(plan), reader_(reader), line_(line), progress_(progress), sample_(kExamples, plan.seed) {}

  Status want_fields(const std::vector<std::string>& names);
  int run();

 private:
  void add(const Record& record);
  std::string json() const;
  std::string text() const;
  std::string time_text() const;
  static std::string rate_table(const std::vector<TimeHistogram::Slot>& slots);

  const SummaryPlan& plan_;
  SummaryReader& reader_;
  FieldId line_;
  Progress& progress_;
  std::deque<FieldSummary> fields_;
  TimeHistogram times_;
  UniformSample<std::string> sample_;
  Output out_;
};

Status SummarizeRun::want_fields(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Result<FieldId> id = reader_.want(name);
    if (!id) return id.error();
    fields_.emplace_back(name, *id, plan_.seed);
  }
  return Done{};
}

void SummarizeRun::add(const Record& record) {
  if (record.time) times_.add(*record.time, record.weight);
  for (FieldSummary& field : fields_) field.add(record);
  if (sample_.next_wanted() != sample_.seen()) {
    sample_.skip(1);
  } else {
    sample_.add(std::string(record.field(line_).value_or(std::string_view())));
  }
}

std::string SummarizeRun::json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("format").text(reader_.format());
  json.key("records").number(reader_.counts().records).key("malformed").number(reader_.counts().malformed);
  json.key("summarized").number(reader_.given_out());
  json.key("span")
      .begin_object()
      .key("from")
      .instant(times_.from())
      .key("to")
      .instant(times_.to())
      .end_object();
  json.key("rate").begin_object().key("every");
  json.seconds(times_.from() ? std::optional(times_.slot()) : std::nullopt).key("windows").begin_array();
  for (const TimeHistogram::Slot& slot : times_.slots()) {
    json.begin_object().key("time").instant(slot.begin).key("count").number(slot.count).end_object();
  }
  json.end_array().end_object().key("fields").begin_array();
  for (const FieldSummary& field : fields_) {
    if (field.records() > 0) field.write_json(json);
  }
  json.end_array().key("sample").begin_array();
  for (const auto& item : sample_.in_order()) json.text(item.value);
  json.end_array().end_object();
  return text + '\n';
}

std::string SummarizeRun::rate_table(const std::vector<TimeHistogram::Slot>& slots) {
  constexpr std::size_t kRows = 24;
  const std::size_t group = (slots.size() + kRows - 1) / kRows;
  Table table({{"from", false}, {"records"}}, terminal_width());
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < slots.size(); i += group) {
    std::uint64_t count = 0;
    for (std::size_t j = i; j < std::min(slots.size(), i + group); ++j) count += slots[j].count;
    rows.push_back({.cells = {format_rfc3339(slots[i].begin), with_thousands(count)},
                    .bar = static_cast<double>(count)});
  }
  return table.print(rows);
}

std::string SummarizeRun::time_text() const {
  if (!times_.from()) return {};
  const std::vector<TimeHistogram::Slot> slots = times_.slots();
  const auto peak = std::max_element(slots.begin(), slots.end(),
                                     [](const auto& a, const auto& b) { return a.count < b.count; });
  return fmt::format("from {} to {}; most in {}: {} from {}\n\n{}", format_rfc3339(*times_.from()),
                     format_rfc3339(*times_.to()), format_duration(times_.slot()),
                     with_thousands(peak->count), format_rfc3339(peak->begin), rate_table(slots));
}

std::string SummarizeRun::text() const {
  std::string out = fmt::format("{} records ({})", with_thousands(reader_.given_out()), reader_.format());
  if (reader_.counts().malformed > 0)
    out += fmt::format(", {} malformed", with_thousands(reader_.counts().malformed));
  out += '\n' + time_text();
  for (const FieldSummary& field : fields_) {
    if (field.records() > 0) out += field.text();
  }
  const auto examples = sample_.in_order();
  if (!examples.empty()) out += "\nfor example\n";
  for (const auto& item : examples) out += "  " + printable(item.value, 110) + '\n';
  return out;
}

int SummarizeRun::run() {
  reader_.run([&](const Record& record) { add(record); });
  progress_.erase();
  note_skipped(reader_);
  out_.write(plan_.json ? json() : text());
  return reader_exit_code(reader_, out_.finish());
}

struct SummarizeFlags {
  SummaryFlags shared;
  std::vector<std::string> fields;
};

/// Those that were named, each once. Errors: too many.
Result<std::vector<std::string>> named_fields(const std::vector<std::string>& named) {
  std::vector<std::string> names;
  for (const std::string& name : named) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() <= kMostFields) return names;
  return Error{
      fmt::format("--field: {} fields are named, and there is room for {}", names.size(), kMostFields)};
}

/// All that the format has, as many as there is room for; standard error says which are left out.
std::vector<std::string> known_fields(const SummaryReader& reader) {
  std::vector<std::string> names;
  std::string left_out;
  for (const std::string& name : reader.fields()) {
    // Times are told in their own way, and the request by its parts.
    if (name == "time" || name == "request") continue;
    if (names.size() < kMostFields) {
      names.push_back(name);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + name;
    }
  }
  if (names.empty()) names.emplace_back("line");
  if (!left_out.empty()) {
    note(fmt::format("there is room for {} fields; left out are {}; --field FIELD chooses", kMostFields,
                     printable(left_out, 400)));
  }
  return names;
}

int run_summarize(const SummarizeFlags& flags) {
  Result<SummaryPlan> planned = summary_plan_of(flags.shared);
  if (!planned) return fail(kExitUsage, "summarize: " + planned.error().message);
  SummaryPlan plan = std::move(planned).value();
  Result<std::vector<std::string>> named = named_fields(flags.fields);
  if (!named) return fail(kExitUsage, "summarize: " + named.error().message);
  plan.log.glance = true;
  Progress progress;
  OpenedReader opened = open_reader(plan, progress);
  if (!opened.reader) return opened.exit_code;
  SummaryReader& reader = *opened.reader;
  const Result<FieldId> line = reader.want("line");
  if (!line) return fail(kExitUsage, line.error().message);
  const std::vector<std::string> names = named->empty() ? known_fields(reader) : *named;
  SummarizeRun run(plan, reader, *line, progress);
  if (const Status wanted = run.want_fields(names); !wanted) return fail(kExitUsage, wanted.error().message);
  if (const Status bound = reader.filter(std::move(plan.where)); !bound)
    return fail(kExitUsage, bound.error().message);
  return run.run();
}

}  // namespace

Command add_summarize(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("summarize", "One page about a log: times, and every field that it has");
  const auto flags = std::make_shared<SummarizeFlags>();
  app->add_option("--field", flags->fields,
                  "A field to tell about [all that the format has, at most 24]; repeatable")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  define_summary_flags(*app, flags->shared, {.divides = false, .saves = false, .seed = true});
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_summarize(*flags); }};
}

}  // namespace weir
