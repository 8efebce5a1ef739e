#include <memory>

#include "weir/cli/command.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

struct StatsFlags {
  SummaryFlags shared;
  std::string field;
};

int run_stats(const StatsFlags& flags) {
  if (const Status is_field = check_field_is_no_file(flags.field, flags.shared); !is_field) {
    return fail(kExitUsage, "stats: " + is_field.error().message);
  }
  Result<SummaryPlan> plan = summary_plan_of(flags.shared);
  if (!plan) return fail(kExitUsage, "stats: " + plan.error().message);
  return run_summary(std::move(plan).value(), *stats_kind(flags.field));
}

}  // namespace

Command add_stats(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("stats", "Count, sum, mean, deviation, least and greatest of a field");
  const auto flags = std::make_shared<StatsFlags>();
  define_summary_flags(*app, flags->shared, {});
  app->add_option("FIELD", flags->field, "The field, such as bytes; the first word")
      ->required()
      ->type_name("");
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_stats(*flags); }};
}

}  // namespace weir
