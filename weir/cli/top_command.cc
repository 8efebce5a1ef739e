#include <memory>
#include <optional>

#include "weir/cli/command.h"
#include "weir/cli/flag_values.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

struct TopFlags {
  SummaryFlags shared;
  std::string field;
  std::optional<std::string> k;
  std::optional<std::string> weight;
};

int run_top(TopFlags flags) {
  take_field_for_file(flags.field, flags.shared);
  Result<SummaryPlan> plan = summary_plan_of(flags.shared);
  if (!plan) return fail(kExitUsage, "top: " + plan.error().message);
  std::size_t k = 10;
  if (const Status read = read_count("-k", flags.k, 0, k); !read)
    return fail(kExitUsage, "top: " + read.error().message);
  const SummaryShape shape = SummaryShape::of(*plan);
  return run_summary(std::move(plan).value(), *top_kind(shape, flags.field, flags.weight, k));
}

}  // namespace

Command add_top(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("top", "The most frequent values of a field, and how sure that is");
  const auto flags = std::make_shared<TopFlags>();
  app->add_option("-k", flags->k, "How many [10]")->type_name("N")->allow_extra_args(false);
  app->add_option("--weight", flags->weight, "Count this field, such as bytes, and not records")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  define_summary_flags(*app, flags->shared, {.seed = true});
  app->add_option("FIELD", flags->field,
                  std::string("The field, such as path [ip, or whole lines]") + kFieldOrFile)
      ->type_name("");
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_top(*flags); }};
}

}  // namespace weir
