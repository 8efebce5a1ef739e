#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/summary_file.h"

namespace weir {
namespace {

struct MergeFlags {
  std::vector<std::string> paths;
  std::string out;
};

int run_merge(const MergeFlags& flags) {
  Result<SavedSummary> all = read_summary_file(flags.paths.front());
  if (!all) return fail(kExitFailed, all.error().message);
  for (std::size_t i = 1; i < flags.paths.size(); ++i) {
    const Result<SavedSummary> next = read_summary_file(flags.paths[i]);
    if (!next) return fail(kExitFailed, next.error().message);
    if (const Status merged = all->merge(*next); !merged) {
      return fail(kExitFailed, printable(flags.paths[i], 200) + " can't be merged with " +
                                   printable(flags.paths.front(), 200) + ": " + merged.error().message);
    }
  }
  const Result<std::string> bytes = all->encode();
  if (!bytes) return fail(kExitFailed, bytes.error().message);
  if (flags.out == "-") {
    Output out;
    out.write(*bytes);
    return out.finish();
  }
  const Status written = write_file(flags.out, *bytes);
  return written ? kExitDone : fail(kExitFailed, written.error().message);
}

}  // namespace

Command add_merge(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("merge", "Join saved summaries of one kind, as if one had seen it all");
  const auto flags = std::make_shared<MergeFlags>();
  app->add_option("-o,--output", flags->out,
                  "Where it goes, in the form of the first; standard output when -")
      ->required()
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("FILE", flags->paths, "Saved summaries")->required()->type_name("");
  return {app, [flags] { return run_merge(*flags); }};
}

}  // namespace weir
