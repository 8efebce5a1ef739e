// What every subcommand is made of.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>

namespace weir {

enum ExitCode : int { kExitDone = 0, kExitFailed = 1, kExitUsage = 2, kExitClosedPipe = 141 };

/// A subcommand: its place in the parser, and what to do once its flags have been read.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

inline constexpr std::string_view kWeirVersion = "0.1.0";

/// Prints `weir: message` on stderr, and gives `code` back.
int fail(ExitCode code, std::string_view message);
/// Prints a line on stderr that keeps nobody from going on.
void note(std::string_view message);

Command add_replay(CLI::App& parent);
Command add_serve(CLI::App& parent);
Command add_stats(CLI::App& parent);
Command add_sample(CLI::App& parent);
Command add_distinct(CLI::App& parent);
Command add_top(CLI::App& parent);
Command add_quantiles(CLI::App& parent);
Command add_rate(CLI::App& parent);
Command add_summarize(CLI::App& parent);
Command add_merge(CLI::App& parent);
Command add_show(CLI::App& parent);
Command add_policy_check(CLI::App& parent);
Command add_policy_explain(CLI::App& parent);
/// `weir version`, and `weir --version` for those who type that.
Command add_version(CLI::App& parent);

}  // namespace weir
