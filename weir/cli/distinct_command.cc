#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

struct DistinctFlags {
  SummaryFlags shared;
  std::string fields;
};

Result<std::vector<std::string>> read_fields(std::string_view text) {
  std::vector<std::string> fields;
  for (const std::string_view part : split(text, ',')) {
    fields.emplace_back(trim(part));
    if (fields.back().empty() && !text.empty()) {
      return Error{"FIELD \"" + printable(text) + "\": a name is empty; write fields such as ip,path"};
    }
  }
  return fields;
}

int run_distinct(DistinctFlags flags) {
  take_field_for_file(flags.fields, flags.shared);
  Result<SummaryPlan> plan = summary_plan_of(flags.shared);
  if (!plan) return fail(kExitUsage, "distinct: " + plan.error().message);
  Result<std::vector<std::string>> fields = read_fields(flags.fields);
  if (!fields) return fail(kExitUsage, "distinct: " + fields.error().message);
  const SummaryShape shape = SummaryShape::of(*plan);
  return run_summary(std::move(plan).value(), *distinct_kind(shape, std::move(fields).value()));
}

}  // namespace

Command add_distinct(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("distinct", "How many different values a field has, or several together");
  const auto flags = std::make_shared<DistinctFlags>();
  define_summary_flags(*app, flags->shared, {.seed = true});
  app->add_option(
         "FIELD", flags->fields,
         std::string("The field or fields, such as ip or ip,path [ip, or whole lines]") + kFieldOrFile)
      ->type_name("");
  define_input_flags(*app, flags->shared);
  return {app, [flags] { return run_distinct(*flags); }};
}

}  // namespace weir
