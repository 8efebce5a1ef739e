#include <fmt/format.h>

#include <memory>

#include "weir/base/clock.h"
#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/explain_facts.h"
#include "weir/cli/output.h"
#include "weir/cli/policy_file.h"

namespace weir {
namespace {

struct ExplainFlags {
  std::string file;
  std::vector<std::string> dimensions;
  std::string cost = "1";
  bool json = false;
};

Result<std::vector<Dimension>> dimensions_of(const std::vector<std::string>& texts) {
  std::vector<Dimension> out;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{
          fmt::format("explain: \"{}\": write dimension=value, such as ip=192.0.2.7", printable(text))};
    }
    const std::string_view whole = text;
    const std::string_view name = whole.substr(0, equals);
    for (const Dimension& other : out) {
      if (other.name == name) {
        return Error{fmt::format("explain: the dimension \"{}\" is given twice", printable(name))};
      }
    }
    out.push_back({name, whole.substr(equals + 1)});
  }
  return out;
}

int explain_policy(const ExplainFlags& flags) {
  const auto cost = parse_uint(flags.cost);
  if (!cost || *cost > kMaxCost) {
    return fail(kExitUsage, fmt::format("explain: --cost \"{}\": not a whole number from 0 to {}",
                                        printable(flags.cost), kMaxCost));
  }
  const auto dimensions = dimensions_of(flags.dimensions);
  if (!dimensions) return fail(kExitUsage, dimensions.error().message);
  const Result<Policy> policy = load_policy(flags.file);
  if (!policy) return fail(kExitFailed, policy.error().message);
  const ExplainReport report =
      explain_request(*policy, Request{*dimensions, *cost}, read_system_clocks().wall);
  Output out;
  out.write(flags.json ? json_of(report) + "\n" : text_of(report));
  return out.finish();
}

}  // namespace

Command add_policy_explain(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("explain", "Show which rules a request meets, and what they do to it");
  const auto flags = std::make_shared<ExplainFlags>();
  app->add_option("FILE", flags->file, "The policy: a file, a folder of them, or - for standard input")
      ->required()
      ->type_name("");
  app->add_option("DIM=VALUE", flags->dimensions, "The request, such as ip=192.0.2.7 endpoint=/login")
      ->type_name("");
  app->add_option("--cost", flags->cost, "What the request costs [1]")->type_name("N");
  app->add_flag("--json", flags->json, "One JSON document")->disable_flag_override();
  return {app, [flags] { return explain_policy(*flags); }};
}

}  // namespace weir
