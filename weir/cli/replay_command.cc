#include <fmt/format.h>

#include <deque>
#include <memory>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/log_input.h"
#include "weir/cli/output.h"
#include "weir/cli/policy_file.h"
#include "weir/cli/progress.h"
#include "weir/cli/replay_flags.h"
#include "weir/replay/limit_text.h"
#include "weir/replay/policy_dimensions.h"
#include "weir/replay/report_json.h"
#include "weir/replay/report_text.h"

namespace weir {
namespace {

using Policies = std::vector<std::shared_ptr<const Policy>>;

/// One per --try, or the one of --policy, or the one that only names the key.
Result<Policies> policies_of(const ReplayPlan& plan) {
  Policies policies;
  std::vector<Limit> limits = plan.tries;
  if (plan.what == ReplayPlan::What::suggest) limits.push_back(Limit{.quota = 1});
  for (const Limit& limit : limits) {
    auto policy = policy_of(limit, plan.key);
    if (!policy) return policy.error();
    policies.push_back(*policy);
  }
  if (!policies.empty()) return policies;
  Result<Policy> policy = load_policy(plan.policy);
  if (!policy) return policy.error();
  policies.push_back(std::make_shared<Policy>(std::move(policy).value()));
  return policies;
}

void note_absent(const InputSummary& input) {
  for (const std::string& dimension : input.absent) {
    note(fmt::format(
        "{} logs have no field \"{}\", so no request has that dimension; --map {}=FIELD says where "
        "it is",
        input.format, printable(dimension), printable(dimension)));
  }
}

/// One run of `weir replay`: the log, and what is printed of it.
class ReplayRun {
 public:
  ReplayRun(const ReplayPlan& plan, Policies policies, ReplayInput input, Progress& progress)
      : plan_(plan), policies_(std::move(policies)), input_(std::move(input)), progress_(progress) {}

  int run();

 private:
  Status decide_all();
  Status suggest_all();
  Status print_decisions();
  void begin();
  ReplayReport report_of(const Replay& replay) const;
  void print_report();
  void print_suggestions(const SuggestReport& report);
  void print_json(const std::string& json) { out_.write(json + "\n"); }
  void warn(const std::vector<std::string>& warnings);
  int exit_code(const Status& status);

  const ReplayPlan& plan_;
  Policies policies_;
  ReplayInput input_;
  Progress& progress_;
  std::deque<Replay> replays_;  // they can't be moved
  Output out_;
};

/// The stores are made when the times of the log are known.
void ReplayRun::begin() {
  if (!replays_.empty()) return;
  for (const auto& policy : policies_) {
    const auto events = input_.events();
    const ReplayOptions options =
        events ? fitted(plan_.replay, *events, policy->rules().size()) : plan_.replay;
    replays_.emplace_back(policy, input_.frame(), options);
  }
}

Status ReplayRun::decide_all() {
  for (;;) {
    const auto event = input_.next();
    if (!event) return event.error();
    begin();
    if (!*event) return Done{};
    for (Replay& replay : replays_) replay.decide_all(**event);
  }
}

Status ReplayRun::print_decisions() {
  // Who waits for a pipe, or looks on, is to see each line when it is decided.
  const bool at_once = out_.is_terminal() || !input_.only_files();
  std::string line;
  while (!out_.failed()) {
    const auto event = input_.next();
    if (!event) return event.error();
    begin();
    if (!*event) return Done{};
    for (std::uint64_t i = 0; i < (*event)->weight && !out_.failed(); ++i) {
      line.clear();
      append_decision(line, (*event)->time, replays_.front().decide(**event), replays_.front().policy());
      out_.write(line);
    }
    if (at_once) out_.flush();
  }
  return Done{};
}

Status ReplayRun::suggest_all() {
  std::optional<Suggest> suggest;
  for (;;) {
    const auto event = input_.next();
    if (!event) return event.error();
    if (!suggest) suggest.emplace(policies_.front(), input_.frame());
    if (!*event) break;
    suggest->add(**event);
  }
  SuggestReport report = suggest->report(plan_.touch, plan_.top);
  report.input = input_.summary();
  print_suggestions(report);
  return Done{};
}

ReplayReport ReplayRun::report_of(const Replay& replay) const {
  ReplayReport report = replay.report(plan_.top);
  report.input = input_.summary();
  return report;
}

void ReplayRun::warn(const std::vector<std::string>& warnings) {
  progress_.erase();
  for (const std::string& warning : warnings) note("warning: " + warning);
}

void ReplayRun::print_report() {
  std::vector<ReplayReport> reports;
  for (const Replay& replay : replays_) reports.push_back(report_of(replay));
  warn(warnings_of(reports.front()));
  const bool tries = plan_.what == ReplayPlan::What::tries;
  if (!plan_.json) {
    out_.write(tries ? text_of_tries(reports) : text_of(reports.front()));
    return;
  }
  std::string text;
  JsonWriter json(text);
  if (tries) json.begin_array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    write_report(json, reports[i], tries ? &plan_.tries[i] : nullptr);
  }
  if (tries) json.end_array();
  print_json(text);
}

void ReplayRun::print_suggestions(const SuggestReport& report) {
  warn(warnings_of(report.input));
  if (!plan_.json) {
    out_.write(text_of(report));
    return;
  }
  std::string text;
  JsonWriter json(text);
  write_suggestions(json, report);
  print_json(text);
}

int ReplayRun::exit_code(const Status& status) {
  progress_.erase();
  const int written = out_.finish();
  if (!status) return fail(kExitFailed, status.error().message);
  const InputSummary input = input_.summary();
  return log_exit_code(written, input_.status(), input.records, input.malformed);
}

int ReplayRun::run() {
  Status status = Done{};
  switch (plan_.what) {
    case ReplayPlan::What::decisions:
      status = print_decisions();
      if (status) warn(warnings_of(report_of(replays_.front())));
      break;
    case ReplayPlan::What::suggest:
      status = suggest_all();
      break;
    default:
      status = decide_all();
      if (status) print_report();
  }
  return exit_code(status);
}

int run_replay(const ReplayFlags& flags) {
  Result<ReplayPlan> planned = plan_of(flags);
  if (!planned) return fail(kExitUsage, "replay: " + planned.error().message);
  ReplayPlan plan = std::move(planned).value();
  if (plan.policy == "-" && reads_standard_input(plan.logs)) {
    return fail(kExitUsage,
                "replay: standard input can't be both the --policy and the log; name one of them");
  }
  Result<Policies> policies = policies_of(plan);
  if (!policies) return fail(plan.policy.empty() ? kExitUsage : kExitFailed, policies.error().message);
  if (const Status ready = prepare_logs(plan.logs, plan.log); !ready) return opening_exit_code(ready.error());
  Result<LogStream> log = LogStream::open(plan.logs, plan.log);
  if (!log) return opening_exit_code(log.error());
  Progress progress;
  plan.input.progress = [&](const InputProgress& now) { progress.update(now); };
  Result<ReplayInput> input =
      ReplayInput::open(std::move(log).value(), dimensions_of(*policies->front()), plan.input);
  if (!input) return fail(kExitUsage, input.error().message);
  const InputSummary summary = input->summary();
  note_format(plan.logs, plan.log, summary.format);
  note_absent(summary);
  return ReplayRun(plan, std::move(policies).value(), std::move(input).value(), progress).run();
}

}  // namespace

Command add_replay(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("replay", "Show what a policy would have done to a log");
  const auto flags = std::make_shared<ReplayFlags>();
  define_replay_flags(*app, *flags);
  return {app, [flags] { return run_replay(*flags); }};
}

}  // namespace weir
