#include "weir/cli/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/output.h"
#include "weir/cli/signals.h"

namespace weir {
namespace {

/// The deepest command that was named.
const CLI::App& chosen(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

/// "weir policy check"
std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + ' ' + app.get_name();
}

/// What one might have meant by the unknown `word`: another flag for a flag, another command for a word.
std::string meant(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with('-')) {
    for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return did_you_mean(word.substr(0, word.find('=')), candidates);
}

int unknown_argument(const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  const bool wants_command = command.get_require_subcommand_min() > 0;
  return fail(kExitUsage, fmt::format("{} \"{}\"{}; {} --help lists what there is",
                                      word.starts_with('-') ? "unknown flag"
                                      : wants_command       ? "unknown command"
                                                            : "unexpected argument",
                                      printable(word), meant(command, word), full_name(command)));
}

int print(const std::string& text) {
  Output out;
  out.write(text);
  return out.finish();
}

/// What the parser says, in a sentence of ours where its own would be hard to read.
std::string reason(const CLI::ParseError& error) {
  std::string said = error.what();
  if (error.get_name() != "ArgumentMismatch") return said;
  std::string flag = said.substr(0, said.find_first_of(": "));
  if (!flag.starts_with('-')) flag.insert(0, "--");  // as it names flags that got a value
  if (said.find("At Most") != std::string::npos) return flag + " is given more than once";
  if (said.find("flag override") != std::string::npos) return flag + " takes no value";
  return flag + " needs a value";
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen(app);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    return print(error.get_name() == "CallForVersion" ? error.what() + std::string("\n") : app.help());
  }
  if (!app.remaining(true).empty()) return unknown_argument(app);
  if (command.get_require_subcommand_min() > 0) {
    return fail(kExitUsage, "no command given; " + full_name(command) + " --help lists them");
  }
  return fail(kExitUsage, command.get_name() + ": " + reason(error));
}

int run_chosen(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return kExitUsage;
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app("Limits the rate of traffic, and shows what a limit does to it.", "weir");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  std::vector<Command> commands{add_serve(app), add_replay(app)};
  for (const auto add : {add_stats, add_sample, add_distinct, add_top, add_quantiles, add_rate, add_summarize,
                         add_merge, add_show})
    commands.push_back(add(app));
  CLI::App* policy = app.add_subcommand("policy", "Check a policy, and explain what it does to a request");
  policy->require_subcommand(1);
  commands.push_back(add_policy_check(*policy));
  commands.push_back(add_policy_explain(*policy));
  commands.push_back(add_version(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return run_chosen(commands);
}

}  // namespace

int fail(ExitCode code, std::string_view message) {
  note(message);
  return code;
}

void note(std::string_view message) {
  const std::string line = "weir: " + std::string(message) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int run_command_line(int argc, const char* const* argv) {
  guard_standard_descriptors();
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(kExitFailed, "out of memory; --max-memory and --max-keys say how much may be used");
  } catch (const std::exception& error) {
    return fail(kExitFailed, error.what());
  }
}

}  // namespace weir
