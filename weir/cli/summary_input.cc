#include "weir/cli/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/log_input.h"
#include "weir/cli/progress.h"

namespace weir {

void sort_lines(std::vector<KeptLine>& lines) {
  std::sort(lines.begin(), lines.end(),
            [](const KeptLine& a, const KeptLine& b) { return a.order < b.order; });
}

OpenedReader open_reader(SummaryPlan& plan, Progress& progress) {
  if (const Status ready = prepare_logs(plan.paths, plan.log); !ready) {
    return {{}, opening_exit_code(ready.error())};
  }
  SummaryReaderOptions options{.log = plan.log, .threads = plan.threads, .progress = {}};
  options.progress = [&progress](const ReadProgress& now) {
    progress.update({.bytes = now.bytes, .total_bytes = now.total_bytes, .records = now.records});
  };
  Result<SummaryReader> reader = SummaryReader::open(plan.paths, std::move(options));
  if (!reader) return {{}, opening_exit_code(reader.error())};
  note_format(plan.paths, plan.log, reader->format());
  return {std::move(reader).value(), 0};
}

Status want_if(SummaryReader& reader, std::string_view flag, const std::optional<std::string>& name,
               std::optional<FieldId>& out) {
  if (!name) return Done{};
  const Result<FieldId> id = reader.want(*name);
  if (!id) return Error{std::string(flag) + ": " + id.error().message};
  out = *id;
  return Done{};
}

WindowOptions window_options(const SummaryPlan& plan, const SummaryReader& reader) {
  return {.every = *plan.every, .sort_all = reader.only_files(), .lateness = plan.lateness};
}

void note_skipped(const SummaryReader& reader) {
  const LogCounts& counts = reader.counts();
  if (counts.malformed == 0) return;
  std::string sentence =
      fmt::format("{} of {} records {} malformed and skipped", with_thousands(counts.malformed),
                  with_thousands(counts.records), counts.malformed == 1 ? "is" : "are");
  if (counts.too_long > 0)
    sentence += fmt::format(" ({} longer than --max-line)", with_thousands(counts.too_long));
  note(fmt::format("{}; the first is {}: {}", sentence, printable(counts.malformed_where, 200),
                   printable(counts.malformed_example)));
}

std::vector<std::string> warnings_of(const TimeWindows& windows) {
  std::vector<std::string> out;
  if (windows.late() > 0) {
    // Only what comes through a pipe is ever late.
    const bool waits_too_briefly = windows.worst_lateness() > windows.lateness();
    out.push_back(fmt::format(
        "{} records came too late for their windows and are left out: {}; a log that is named as a file, and "
        "not piped, is sorted completely",
        with_thousands(windows.late()),
        waits_too_briefly
            ? fmt::format("up to {} behind, and --lateness is {}", format_duration(windows.worst_lateness()),
                          format_duration(windows.lateness()))
            : "more came within --lateness than the 4 MB hold in which they wait"));
  }
  if (windows.untimed() > 0) {
    out.push_back(fmt::format("{} records have no time and are left out", with_thousands(windows.untimed())));
  }
  return out;
}

int reader_exit_code(const SummaryReader& reader, int written) {
  const LogCounts& counts = reader.counts();
  return log_exit_code(written, reader.status(), counts.records, counts.malformed);
}

}  // namespace weir
