#include <memory>
#include <optional>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/flag_values.h"
#include "weir/cli/summary_kinds.h"
#include "weir/stream/number.h"

namespace weir {
namespace {

struct QuantilesFlags {
  SummaryFlags shared;
  std::string field;
  std::string quantiles = "0.5,0.9,0.99";
};

Result<std::vector<double>> read_quantiles(std::string_view text) {
  std::vector<double> quantiles;
  for (const std::string_view part : split(text, ',')) {
    const auto q = parse_number(trim(part));
    if (!q || !(*q >= 0 && *q <= 1)) {
      return wrong_value("-q", text, "not quantiles; write numbers from 0 to 1, such as 0.5,0.9,0.99");
    }
    quantiles.push_back(*q);
  }
  return quantiles;
}

int run_quantiles(const QuantilesFlags& flags) {
  if (const Status is_field = check_field_is_no_file(flags.field, flags.shared); !is_field) {
    return fail(kExitUsage, "quantiles: " + is_field.error().message);
  }
  Result<SummaryPlan> plan = summary_plan_of(flags.shared);
  if (!plan) return fail(kExitUsage, "quantiles: " + plan.error().message);
  Result<std::vector<double>> quantiles = read_quantiles(flags.quantiles);
  if (!quantiles) return fail(kExitUsage, "quantiles: " + quantiles.error().message);
  const SummaryShape shape = SummaryShape::of(*plan);
  return run_summary(std::move(plan).value(),
                     *quantiles_kind(shape, flags.field, std::move(quantiles).value()));
}

}  // namespace

Command add_quantiles(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("quantiles", "Quantiles of a field, and between which values they lie");
  const auto flags = std::make_shared<QuantilesFlags>();
  app->add_option("-q", flags->quantiles, "Which quantiles, from 0 to 1 [0.5,0.9,0.99]")
      ->type_name("Q[,Q...]")
      ->allow_extra_args(false);
  define_summary_flags(*app, flags->shared, {});
  app->add_option("FIELD", flags->field, "The field, such as bytes; the first word")
      ->required()
      ->type_name("");
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_quantiles(*flags); }};
}

}  // namespace weir
