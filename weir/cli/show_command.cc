#include <memory>

#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/summary_file.h"

namespace weir {
namespace {

struct ShowFlags {
  std::vector<std::string> paths;
  bool json = false;
};

int run_show(const ShowFlags& flags) {
  Output out;
  std::string text;
  JsonWriter json(text);
  const bool several = flags.paths.size() > 1;
  if (several) json.begin_array();
  for (const std::string& path : flags.paths) {
    const Result<SavedSummary> saved = read_summary_file(path);
    if (!saved) return fail(kExitFailed, saved.error().message);
    if (flags.json) {
      write_summary_facts(json, *saved);
      continue;
    }
    if (several) out.write((path == flags.paths.front() ? "" : "\n") + path + "\n");
    out.write(summary_facts_text(*saved));
  }
  if (several) json.end_array();
  if (flags.json) out.write(text + '\n');
  return out.finish();
}

}  // namespace

Command add_show(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("show", "What a saved summary holds: Weir's, DataSketches' or Redis's");
  const auto flags = std::make_shared<ShowFlags>();
  app->add_flag("--json", flags->json, "One JSON document, an array of several files")
      ->disable_flag_override();
  app->add_option("FILE", flags->paths, "Saved summaries; standard input when -")->required()->type_name("");
  return {app, [flags] { return run_show(*flags); }};
}

}  // namespace weir
