#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/division.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/summary.h"
#include "weir/cli/summary_save.h"
#include "weir/cli/warnings.h"

namespace weir {
namespace {

/// One run of a command: the input, and what is printed of it.
class SummaryRun {
 public:
  SummaryRun(const SummaryPlan& plan, SummaryKind& kind, SummaryReader& reader, std::optional<FieldId> by,
             Progress& progress)
      : plan_(plan),
        kind_(kind),
        reader_(reader),
        by_(by),
        progress_(progress),
        table_(columns(), terminal_width()),
        json_(json_text_) {}

  int run();

 private:
  std::vector<TableColumn> columns() const;
  Status run_whole();
  Status run_windows();
  void close_window(Nanos begin);
  void print_rows(const Division& division, std::optional<Nanos> begin);
  void print_json();
  void print_warnings() const;
  Division fresh() const { return {kind_, by_, plan_.max_groups}; }

  const SummaryPlan& plan_;
  SummaryKind& kind_;
  SummaryReader& reader_;
  std::optional<FieldId> by_;
  Progress& progress_;
  Output out_;
  Table table_;
  std::string json_text_;
  JsonWriter json_;
  std::optional<Division> open_;
  Warnings warnings_;
  /// What is about the whole run.
  std::vector<std::string> last_warnings_;
  std::uint64_t other_records_ = 0;
};

std::vector<TableColumn> SummaryRun::columns() const {
  std::vector<TableColumn> columns;
  if (plan_.every) columns.push_back({"time", false});
  if (plan_.by) columns.push_back({printable(*plan_.by), false});
  for (TableColumn& column : kind_.columns()) columns.push_back(std::move(column));
  return columns;
}

void SummaryRun::print_rows(const Division& division, std::optional<Nanos> begin) {
  if (kind_.prints_lines()) {
    for (const KeptLine& kept : division.lines()) {
      out_.write(kept.line);
      out_.write("\n");
    }
    return;
  }
  std::vector<TableRow> rows = division.rows();
  if (begin) {
    for (TableRow& row : rows) row.cells.insert(row.cells.begin(), format_rfc3339(*begin));
  }
  out_.write(table_.print(rows));
}

void SummaryRun::print_json() {
  out_.write(json_text_);
  json_text_.clear();
}

Status SummaryRun::run_whole() {
  Division all = fresh();
  reader_.run([&](const Record& record) { all.add(record); });
  progress_.erase();
  all.warn(warnings_);
  other_records_ = all.other_records();
  if (!plan_.json) {
    print_rows(all, std::nullopt);
  } else if (all.one() != nullptr) {
    all.one()->write_json(json_);
  } else {
    json_.begin_object().key("by").text(*plan_.by);
    all.write_json(json_);
    json_.end_object();
  }
  return all.one() != nullptr ? save_summary(plan_, kind_, *all.one(), reader_) : Status(Done{});
}

void SummaryRun::close_window(Nanos begin) {
  progress_.erase();
  open_->warn(warnings_);
  other_records_ += open_->other_records();
  if (plan_.json) {
    json_.begin_object().key("time").instant(begin);
    if (open_->one() != nullptr) {
      json_.key("summary");
      open_->one()->write_json(json_);
    } else {
      open_->write_json(json_);
    }
    json_.end_object();
    print_json();
  } else {
    print_rows(*open_, begin);
    if (out_.is_terminal() || !reader_.only_files()) out_.flush();
  }
  open_.reset();
}

Status SummaryRun::run_windows() {
  TimeWindows windows(
      window_options(plan_, reader_), reader_.wanted(),
      [&](const Record& record) {
        if (!open_) open_ = fresh();
        open_->add(record);
      },
      [&](Nanos begin) { close_window(begin); });
  if (plan_.json) {
    json_.begin_object().key("every").seconds(*plan_.every);
    if (plan_.by) json_.key("by").text(*plan_.by);
    json_.key("windows").begin_array();
  }
  Status status = Done{};
  reader_.run([&](const Record& record) {
    if (status) status = windows.add(record);
  });
  if (status) status = windows.finish();
  progress_.erase();
  if (plan_.json) {
    json_.end_array()
        .key("late")
        .number(windows.late())
        .key("untimed")
        .number(windows.untimed())
        .end_object();
  }
  last_warnings_ = warnings_of(windows);
  if (status && reader_.given_out() > 0 && windows.untimed() == reader_.given_out()) {
    return Error{
        fmt::format("the log has no times (format {}), and --every divides by them", reader_.format())};
  }
  return status;
}

void SummaryRun::print_warnings() const {
  for (const std::string& warning : warnings_.sentences()) note("warning: " + warning);
  for (const std::string& warning : last_warnings_) note("warning: " + warning);
  if (other_records_ == 0) return;
  note(fmt::format(
      "warning: {} records are of values beyond the first {} of {}, and counted together as other",
      with_thousands(other_records_), with_thousands(plan_.max_groups), printable(*plan_.by)));
}

int SummaryRun::run() {
  const Status status = plan_.every ? run_windows() : run_whole();
  if (plan_.json) {
    print_json();
    out_.write("\n");
  }
  note_skipped(reader_);
  print_warnings();
  const int written = out_.finish();
  if (!status) return fail(kExitFailed, status.error().message);
  return reader_exit_code(reader_, written);
}

}  // namespace

int run_summary(SummaryPlan plan, SummaryKind& kind) {
  if (plan.save_as) {
    if (const Status has = kind.check_form(plan.save_as->form); !has)
      return fail(kExitUsage, has.error().message);
  }
  if (const Status safe = check_targets(plan); !safe) return fail(kExitUsage, safe.error().message);
  Progress progress;
  OpenedReader opened = open_reader(plan, progress);
  if (!opened.reader) return opened.exit_code;
  SummaryReader& reader = *opened.reader;
  if (const Status bound = kind.bind(reader); !bound) return fail(kExitUsage, bound.error().message);
  std::optional<FieldId> by;
  if (const Status bound = want_if(reader, "--by", plan.by, by); !bound) {
    return fail(kExitUsage, bound.error().message);
  }
  if (const Status bound = reader.filter(std::move(plan.where)); !bound) {
    return fail(kExitUsage, bound.error().message);
  }
  return SummaryRun(plan, kind, reader, by, progress).run();
}

}  // namespace weir
