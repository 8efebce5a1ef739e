#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/summary_kinds.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/stream/number.h"
#include "weir/stream/time_histogram.h"

namespace weir {
namespace {

/// No more fields than so many are summarised, so that memory has a ceiling.
constexpr std::size_t kMostFields = 24;
constexpr unsigned kPrecision = 14;
constexpr unsigned kLgCells = 11;
constexpr std::size_t kNamed = 5;
constexpr std::size_t kExamples = 3;
/// A field is one of numbers when nine in ten of its values are.
constexpr double kNumeric = 0.9;
const std::vector<double> kQuantiles{0.5, 0.9, 0.99};

/// All about one field.
class FieldSummary {
 public:
  FieldSummary(std::string name, FieldId id, Seed seed)
      : name_(std::move(name)),
        id_(id),
        distinct_(UltraLogLog::create(kPrecision, seed).value()),
        top_(FrequentTexts::create(kLgCells, seed).value()),
        quantiles_(DDSketch::create().value()) {}

  void add(const Record& record) {
    const auto text = record.field(id_);
    if (!text) return;
    records_ += record.weight;
    distinct_.add(*text);
    top_.add(*text, record.weight);
    const auto value = parse_number(*text);
    if (!value) {
      moments_.add_bad(record.weight);
      quantiles_.add_bad(record.weight);
      return;
    }
    for (std::uint64_t i = 0; i < record.weight; ++i) {
      moments_.add(*value);
      quantiles_.add(*value);
    }
  }

  const std::string& name() const { return name_; }
  std::uint64_t records() const { return records_; }
  /// Status codes are numbers too, but nobody asks for their mean: few different values are names.
  bool is_numeric() const {
    constexpr double kFewValues = 64;
    return static_cast<double>(moments_.count()) > kNumeric * static_cast<double>(records_) &&
           distinct_.order_free_estimate().value > kFewValues;
  }
  void write_json(JsonWriter& json) const;
  std::string text() const;

 private:
  std::string name_;
  FieldId id_;
  std::uint64_t records_ = 0;
  UltraLogLog distinct_;
  FrequentTexts top_;
  Moments moments_;
  DDSketch quantiles_;
};

void FieldSummary::write_json(JsonWriter& json) const {
  json.begin_object().key("field").text(name_).key("distinct");
  write_distinct(json, distinct_, records_);
  json.key("top");
  write_top(json, top_.top(kNamed));
  json.key("stats");
  if (is_numeric()) {
    write_moments(json, moments_);
    json.key("quantiles");
    write_quantiles(json, quantiles_, kQuantiles);
  } else {
    json.null().key("quantiles").null();
  }
  json.end_object();
}

std::string FieldSummary::text() const {
  const Estimate distinct = distinct_.order_free_estimate();
  std::string out = fmt::format("\n{}: {}{} different values in {} records\n", printable(name_),
                                distinct_.is_exact() ? "" : "about ", number_text(std::round(distinct.value)),
                                with_thousands(records_));
  if (is_numeric()) {
    out +=
        fmt::format("  from {} to {}, {} on average, {} in all\n", number_text(moments_.min()),
                    number_text(moments_.max()), number_text(moments_.mean()), number_text(moments_.sum()));
    for (const double q : kQuantiles) {
      if (const auto at = quantiles_.quantile(q)) {
        out += fmt::format("  {:g}% are at most {} ({} to {})\n", q * 100, number_text(at->value),
                           number_text(at->low), number_text(at->high));
      }
    }
    return out;
  }
  Table table({{""}, {"", false}}, terminal_width());
  std::vector<TableRow> rows;
  for (const auto& item : top_.top(kNamed)) {
    const auto upper = static_cast<double>(item.upper);
    rows.push_back(
        {.cells = {(item.upper > item.lower ? "<= " : "") + number_text(upper), printable(item.key, 60)},
         .bar = upper});
  }
  const std::string printed = table.print(rows);
  // There is nothing to head.
  return out + printed.substr(printed.find('\n') + 1);
}

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
    // Times are told in their own way, and the request by its parts.
    if (name == "time" || name == "request" || fields_.size() == kMostFields) continue;
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

int run_summarize(const SummarizeFlags& flags) {
  Result<SummaryPlan> planned = summary_plan_of(flags.shared);
  if (!planned) return fail(kExitUsage, "summarize: " + planned.error().message);
  SummaryPlan plan = std::move(planned).value();
  plan.log.glance = true;
  Progress progress;
  OpenedReader opened = open_reader(plan, progress);
  if (!opened.reader) return opened.exit_code;
  SummaryReader& reader = *opened.reader;
  const Result<FieldId> line = reader.want("line");
  if (!line) return fail(kExitUsage, line.error().message);
  std::vector<std::string> names = flags.fields.empty() ? reader.fields() : flags.fields;
  if (names.empty()) names.emplace_back("line");
  SummarizeRun run(plan, reader, *line, progress);
  if (const Status wanted = run.want_fields(names); !wanted) return fail(kExitUsage, wanted.error().message);
  if (names.size() > kMostFields)
    note(fmt::format("only the first {} fields are summarised; --field names others", kMostFields));
  if (const Status bound = reader.filter(std::move(plan.where)); !bound)
    return fail(kExitUsage, bound.error().message);
  return run.run();
}

}  // namespace

Command add_summarize(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("summarize", "One page about a log: times, and every field that it has");
  const auto flags = std::make_shared<SummarizeFlags>();
  app->add_option("--field", flags->fields, "A field to tell about [all that the format has]; repeatable")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  define_summary_flags(*app, flags->shared, {.divides = false, .saves = false, .seed = true});
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_summarize(*flags); }};
}

}  // namespace weir
