#include <fmt/format.h>

#include <algorithm>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/progress.h"
#include "weir/cli/summary.h"
#include "weir/cli/summary_file.h"
#include "weir/stream/groups.h"

namespace weir {
namespace {

/// One summary, or one for each group: what a window is made of.
class Division {
 public:
  Division(SummaryKind& kind, std::optional<FieldId> by, std::size_t max_groups)
      : by_(by), groups_(max_groups, [&kind] { return kind.make(); }) {
    if (!by_) one_ = kind.make();
  }

  void add(const Record& record) {
    Summary& summary =
        by_ ? groups_.of(record.field(*by_).value_or(std::string_view()), record.weight) : *one_;
    summary.add(record);
  }

  const Summary* one() const { return one_.get(); }
  bool has_other() const { return groups_.other() != nullptr; }
  std::uint64_t other_records() const { return has_other() ? groups_.other()->records : 0; }

  /// The keys "groups" and "other" of an object, or a summary.
  void write_json(JsonWriter& json) const;
  /// With the name of the group before them.
  std::vector<TableRow> rows() const;
  void warn(std::vector<std::string>& out) const;

 private:
  static void write_group(JsonWriter& json, const Groups<Summary>::Group& group) {
    json.key("records").number(group.records).key("summary");
    group.summary->write_json(json);
  }
  static void append_rows(std::vector<TableRow>& out, const std::string& name, const Summary& summary);

  std::optional<FieldId> by_;
  std::unique_ptr<Summary> one_;
  Groups<Summary> groups_;
};

void Division::write_json(JsonWriter& json) const {
  json.key("groups").begin_array();
  for (const auto& [name, group] : groups_.sorted()) {
    json.begin_object().key("group").text(name);
    write_group(json, *group);
    json.end_object();
  }
  json.end_array().key("other");
  if (!has_other()) {
    json.null();
    return;
  }
  json.begin_object();
  write_group(json, *groups_.other());
  json.end_object();
}

void Division::append_rows(std::vector<TableRow>& out, const std::string& name, const Summary& summary) {
  for (TableRow& row : summary.rows()) {
    row.cells.insert(row.cells.begin(), name);
    out.push_back(std::move(row));
  }
}

std::vector<TableRow> Division::rows() const {
  if (one_) return one_->rows();
  std::vector<TableRow> rows;
  for (const auto& [name, group] : groups_.sorted()) {
    append_rows(rows, name.empty() ? "(none)" : printable(name), *group->summary);
  }
  if (has_other()) append_rows(rows, "(other)", *groups_.other()->summary);
  return rows;
}

void Division::warn(std::vector<std::string>& out) const {
  const auto take = [&](const Summary& summary) {
    for (std::string& warning : summary.warnings()) {
      if (std::find(out.begin(), out.end(), warning) == out.end()) out.push_back(std::move(warning));
    }
  };
  if (one_) take(*one_);
  for (const auto& [name, group] : groups_.sorted()) take(*group->summary);
  if (has_other()) take(*groups_.other()->summary);
}

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
  void print_rows(std::vector<TableRow> rows);
  void print_json();
  Status save(const Summary& summary);
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
  std::vector<std::string> warnings_;
  std::uint64_t other_records_ = 0;
};

std::vector<TableColumn> SummaryRun::columns() const {
  std::vector<TableColumn> columns;
  if (plan_.every) columns.push_back({"time", false});
  if (plan_.by) columns.push_back({printable(*plan_.by), false});
  for (TableColumn& column : kind_.columns()) columns.push_back(std::move(column));
  return columns;
}

void SummaryRun::print_rows(std::vector<TableRow> rows) {
  if (!kind_.prints_lines()) {
    out_.write(table_.print(rows));
    return;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TableRow& a, const TableRow& b) { return a.order < b.order; });
  for (const TableRow& row : rows) {
    out_.write(row.cells.back());
    out_.write("\n");
  }
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
    print_rows(all.rows());
  } else if (all.one() != nullptr) {
    all.one()->write_json(json_);
  } else {
    json_.begin_object().key("by").text(*plan_.by);
    all.write_json(json_);
    json_.end_object();
  }
  return all.one() != nullptr ? save(*all.one()) : Status(Done{});
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
    std::vector<TableRow> rows = open_->rows();
    for (TableRow& row : rows) row.cells.insert(row.cells.begin(), format_rfc3339(begin));
    print_rows(std::move(rows));
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
  for (std::string& warning : warnings_of(windows)) warnings_.push_back(std::move(warning));
  if (status && reader_.given_out() > 0 && windows.untimed() == reader_.given_out()) {
    return Error{
        fmt::format("the log has no times (format {}), and --every divides by them", reader_.format())};
  }
  return status;
}

Status SummaryRun::save(const Summary& summary) {
  if (plan_.save) {
    const Result<std::string> bytes = summary.save();
    if (!bytes) return bytes.error();
    if (Status written = write_file(*plan_.save, *bytes); !written) return written;
  }
  if (!plan_.save_as) return Done{};
  const Result<std::string> bytes = summary.save_as(plan_.save_as->form);
  if (!bytes) return bytes.error();
  return write_file(plan_.save_as->path, *bytes);
}

int SummaryRun::run() {
  const Status status = plan_.every ? run_windows() : run_whole();
  if (plan_.json) {
    print_json();
    out_.write("\n");
  }
  note_skipped(reader_);
  if (other_records_ > 0) {
    warnings_.push_back(
        fmt::format("{} records are of values beyond the first {} of {}, and counted together as other",
                    with_thousands(other_records_), with_thousands(plan_.max_groups), printable(*plan_.by)));
  }
  for (const std::string& warning : warnings_) note("warning: " + warning);
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
