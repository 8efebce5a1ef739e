#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/policy_file.h"
#include "weir/policy/policy.h"

namespace weir {
namespace {

int check(const std::vector<std::string>& files) {
  Output out;
  bool good = true;
  for (const std::string& file : files) {
    const Result<Policy> policy = load_policy(file);
    if (!policy) {
      good = false;
      out.write(policy.error().message + "\n");
      continue;
    }
    const std::size_t rules = policy->rules().size();
    out.write((file == "-" ? "standard input" : printable(file, 4096)) + ": ok, " + with_thousands(rules) +
              (rules == 1 ? " rule\n" : " rules\n"));
  }
  const int written = out.finish();
  return written != kExitDone ? written : good ? kExitDone : kExitFailed;
}

}  // namespace

Command add_policy_check(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("check", "Say whether policies are good, and what is wrong with them");
  const auto files = std::make_shared<std::vector<std::string>>();
  app->add_option("FILE", *files, "Policies: files, folders of them, or - for standard input")
      ->required()
      ->type_name("");
  return {app, [files] { return check(*files); }};
}

}  // namespace weir
