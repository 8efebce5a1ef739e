// What every summary of the command line can do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/result.h"
#include "weir/cli/summary_flags.h"
#include "weir/cli/table.h"
#include "weir/replay/json.h"
#include "weir/stream/record.h"
#include "weir/stream/summary_origin.h"
#include "weir/stream/summary_reader.h"
#include "weir/stream/time_windows.h"

namespace weir {

/// A record that is printed as it is, and how many came before it in all groups together.
struct KeptLine {
  std::string_view line;
  std::uint64_t order;
};
/// Into the order of the input.
void sort_lines(std::vector<KeptLine>& lines);

class Summary {
 public:
  Summary() = default;
  Summary(const Summary&) = delete;
  Summary& operator=(const Summary&) = delete;
  virtual ~Summary() = default;

  virtual void add(const Record& record) = 0;
  virtual void write_json(JsonWriter& json) const = 0;
  /// For people, in the columns of its kind.
  virtual std::vector<TableRow> rows() const { return {}; }
  /// Instead of rows, where the kind prints lines. They live as long as the summary, in any order.
  virtual std::vector<KeptLine> lines() const { return {}; }
  /// What a reader should be told besides: one sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// Weir's own frame. Errors: it has none.
  virtual Result<std::string> save() const = 0;
  /// REQUIRES: the plan says so from the beginning, and check_form() of its kind lets it.
  virtual Result<std::string> save_as(ForeignForm form) const = 0;
};

/// One command: which fields it needs, and what it makes of them.
class SummaryKind {
 public:
  SummaryKind() = default;
  SummaryKind(const SummaryKind&) = delete;
  SummaryKind& operator=(const SummaryKind&) = delete;
  virtual ~SummaryKind() = default;

  /// Errors: the other system has no such summary.
  virtual Status check_form(ForeignForm) const { return Done{}; }
  /// Asks for its fields. Errors: the format has none of that name.
  virtual Status bind(SummaryReader& reader) = 0;
  /// An empty one. REQUIRES: bind().
  virtual std::unique_ptr<Summary> make() = 0;
  /// What its summaries are of. REQUIRES: bind().
  virtual SummaryOrigin origin() const = 0;
  virtual std::vector<TableColumn> columns() const = 0;
  /// Whether it prints lines of the input instead of a table.
  virtual bool prints_lines() const { return false; }
};

/// Reads the input, and prints and saves what came of it. An exit code.
int run_summary(SummaryPlan plan, SummaryKind& kind);

/// The reader of a plan, with its notes on standard error; or an exit code.
struct OpenedReader {
  std::optional<SummaryReader> reader;
  int exit_code = 0;
};
class Progress;
OpenedReader open_reader(SummaryPlan& plan, Progress& progress);
/// Asks for the field that a flag names, where it is given. Errors name the flag.
Status want_if(SummaryReader& reader, std::string_view flag, const std::optional<std::string>& name,
               std::optional<FieldId>& out);
/// REQUIRES: plan.every.
WindowOptions window_options(const SummaryPlan& plan, const SummaryReader& reader);

/// Says on standard error what could not be read.
void note_skipped(const SummaryReader& reader);
/// What the windows left out, and what would help.
std::vector<std::string> warnings_of(const TimeWindows& windows);
/// What comes after all has been printed: an error, a signal, or nothing that parsed.
int reader_exit_code(const SummaryReader& reader, int written);

}  // namespace weir
