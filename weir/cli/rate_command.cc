#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/rate_report.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

class RateRun {
 public:
  RateRun(const SummaryPlan& plan, SummaryReader& reader, std::optional<FieldId> by, Progress& progress)
      : plan_(plan),
        reader_(reader),
        progress_(progress),
        json_(json_text_),
        histogram_(*plan.every),
        report_(window_options(plan, reader), reader.wanted(), by,
                [this](Nanos begin, std::uint64_t count) { take_window(begin, count); }) {}

  int run();

 private:
  void take_window(Nanos begin, std::uint64_t count);
  void print_text();
  void end_json();

  const SummaryPlan& plan_;
  SummaryReader& reader_;
  Progress& progress_;
  Output out_;
  std::string json_text_;
  JsonWriter json_;
  /// What is printed for people: so many windows joined that a page holds them.
  TimeHistogram histogram_;
  RateReport report_;
};

void RateRun::take_window(Nanos begin, std::uint64_t count) {
  if (!plan_.json) {
    histogram_.add(begin, count);
    return;
  }
  json_.begin_object().key("time").instant(begin).key("count").number(count).end_object();
  out_.write(json_text_);
  json_text_.clear();
}

void RateRun::end_json() {
  json_.end_array()
      .key("records")
      .number(report_.records())
      .key("mean")
      .real(report_.per_window())
      .key("peak");
  if (const auto& peak = report_.peak(); peak) {
    json_.begin_object().key("time").instant(peak->time).key("count").number(peak->count).key("by");
    plan_.by ? json_.text(*plan_.by) : json_.null();
    json_.key("top");
    write_top(json_, peak->who);
    json_.end_object();
  } else {
    json_.null();
  }
  json_.key("late").number(report_.windows().late());
  json_.key("untimed").number(report_.windows().untimed()).end_object();
  out_.write(json_text_ + "\n");
}

void RateRun::print_text() {
  const std::string every = format_duration(*plan_.every);
  const auto& peak = report_.peak();
  if (!peak) {
    out_.write("no records\n");
    return;
  }
  Table table({{"time", false}, {"records"}, {"in " + every}}, terminal_width());
  std::vector<TableRow> rows;
  const double windows = static_cast<double>(histogram_.slot()) / static_cast<double>(*plan_.every);
  for (const TimeHistogram::Slot& slot : histogram_.slots()) {
    const auto count = static_cast<double>(slot.count);
    rows.push_back(
        {.cells = {format_rfc3339(slot.begin), number_text(count), fmt::format("{:.4g}", count / windows)},
         .bar = count});
  }
  out_.write(table.print(rows));
  out_.write(fmt::format("\n{} records, {:.4g} in {} on average\npeak: {} in {} from {}\n",
                         with_thousands(report_.records()), report_.per_window(), every,
                         with_thousands(peak->count), every, format_rfc3339(peak->time)));
  for (const FrequentTexts::Item& item : peak->who) {
    out_.write(fmt::format("  {}{}  {}\n", with_thousands(item.upper),
                           item.upper > item.lower ? " at most" : "", printable(item.key)));
  }
}

int RateRun::run() {
  if (plan_.json) json_.begin_object().key("every").seconds(*plan_.every).key("windows").begin_array();
  Status status = Done{};
  reader_.run([&](const Record& record) {
    if (status) status = report_.add(record);
  });
  if (status) status = report_.finish();
  progress_.erase();
  note_skipped(reader_);
  for (const std::string& warning : warnings_of(report_.windows())) note("warning: " + warning);
  if (plan_.json) {
    end_json();
  } else {
    print_text();
  }
  const int written = out_.finish();
  if (status && reader_.given_out() > 0 && report_.windows().untimed() == reader_.given_out()) {
    status = Error{fmt::format("the log has no times (format {}), and a rate is by time", reader_.format())};
  }
  if (!status) return fail(kExitFailed, status.error().message);
  return reader_exit_code(reader_, written);
}

int run_rate(const SummaryFlags& flags) {
  Result<SummaryPlan> planned = summary_plan_of(flags);
  if (!planned) return fail(kExitUsage, "rate: " + planned.error().message);
  SummaryPlan plan = std::move(planned).value();
  if (!plan.every) plan.every = kSecond;
  Progress progress;
  OpenedReader opened = open_reader(plan, progress);
  if (!opened.reader) return opened.exit_code;
  SummaryReader& reader = *opened.reader;
  // Who: the client, where nobody says otherwise and the format has it.
  const std::vector<std::string> known = reader.fields();
  if (!plan.by && std::find(known.begin(), known.end(), "ip") != known.end()) plan.by = "ip";
  std::optional<FieldId> by;
  if (const Status bound = want_if(reader, "--by", plan.by, by); !bound)
    return fail(kExitUsage, bound.error().message);
  if (const Status bound = reader.filter(std::move(plan.where)); !bound)
    return fail(kExitUsage, bound.error().message);
  return RateRun(plan, reader, by, progress).run();
}

}  // namespace

Command add_rate(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("rate", "Records per window of time, the peak, and who made it");
  const auto flags = std::make_shared<SummaryFlags>();
  app->add_option("--by", flags->by, "The field that says who made the peak [ip]")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  app->add_option("--every", flags->every, "How long a window is [1s]")
      ->type_name("TIME")
      ->allow_extra_args(false);
  app->add_option("--lateness", flags->lateness,
                  "How late a record of a pipe may come and still be put in order [5m]; files are sorted")
      ->type_name("TIME")
      ->allow_extra_args(false);
  define_summary_flags(*app, *flags, {.divides = false, .saves = false});
  define_input_flags(*app, *flags);
  return {app, [flags] { return run_rate(*flags); }};
}

}  // namespace weir
