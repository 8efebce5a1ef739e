#include <memory>
#include <optional>

#include "weir/cli/command.h"
#include "weir/cli/flag_values.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

struct SampleFlags {
  SummaryFlags shared;
  std::optional<std::string> k;
  std::optional<std::string> weight;
};

int run_sample(const SampleFlags& flags) {
  Result<SummaryPlan> plan = summary_plan_of(flags.shared);
  if (!plan) return fail(kExitUsage, "sample: " + plan.error().message);
  std::size_t k = 1'000;
  if (const Status read = read_count("-k", flags.k, 0, k); !read) {
    return fail(kExitUsage, "sample: " + read.error().message);
  }
  // Nothing is asked of a record but to be one.
  plan->log.lines_only = !flags.weight && !plan->is_divided() && plan->where.is_always_true();
  // Passing over lines is faster than handing them from thread to thread.
  if (plan->log.lines_only) plan->threads = 1;
  const SummaryShape shape = SummaryShape::of(*plan);
  return run_summary(std::move(plan).value(), *sample_kind(shape, k, flags.weight));
}

}  // namespace

Command add_sample(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("sample", "Some records, each as likely as any other, in the order of the input");
  const auto flags = std::make_shared<SampleFlags>();
  app->add_option("-k", flags->k, "How many [1000]")->type_name("N")->allow_extra_args(false);
  app->add_option("--weight", flags->weight, "The heavier by this field, the likelier")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  define_summary_flags(*app, flags->shared, {.seed = true});
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_sample(*flags); }};
}

}  // namespace weir
