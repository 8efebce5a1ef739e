#include "weir/cli/replay_flags.h"

#include <algorithm>

#include "weir/base/text.h"
#include "weir/replay/limit_text.h"

namespace weir {
namespace {

/// The smallest store that there is: a table of one line in three quarters of its memory.
constexpr std::size_t kLeastMemory = 88;

Status read_touch(const std::optional<std::string>& text, Share& out) {
  if (!text) return Done{};
  const Result<Share> share = parse_share(*text);
  if (!share) return Error{"--touch: " + share.error().message};
  out = *share;
  return Done{};
}

/// "ip,account"; "" is the one global bucket.
Status read_key(const std::optional<std::string>& text, std::vector<std::string>& out) {
  if (!text) return Done{};
  out.clear();
  if (text->empty()) return Done{};
  for (const std::string_view part : split(*text, ',')) {
    const std::string_view name = trim(part);
    if (name.empty())
      return wrong_value("--key", *text, "a name is empty; write dimensions such as ip,account");
    if (std::find(out.begin(), out.end(), name) != out.end()) {
      return wrong_value("--key", *text, "\"" + printable(name) + "\" is given twice");
    }
    out.emplace_back(name);
  }
  return Done{};
}

Status read_maps(const std::vector<std::string>& maps, std::map<std::string, std::string>& out) {
  for (const std::string& text : maps) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return wrong_value("--map", text, "write dimension=field, such as endpoint=path");
    }
    const std::string dimension = text.substr(0, equals);
    if (!out.emplace(dimension, text.substr(equals + 1)).second) {
      return wrong_value("--map", text, "the dimension \"" + printable(dimension) + "\" is mapped twice");
    }
  }
  return Done{};
}

Status read_tries(const std::vector<std::string>& tries, std::vector<Limit>& out) {
  for (const std::string& text : tries) {
    const Result<Limit> limit = parse_limit_text(text);
    if (!limit) return wrong_value("--try", text, limit.error().message);
    out.push_back(*limit);
  }
  return Done{};
}

/// A combination of flags in which one would be ignored, or two contradict each other.
std::optional<Error> contradiction(const ReplayFlags& flags) {
  const bool tries = !flags.tries.empty();
  const int purposes = (flags.policy ? 1 : 0) + (tries ? 1 : 0) + (flags.suggest ? 1 : 0);
  if (purposes == 0) {
    return Error{
        "nothing to replay against; give --policy FILE, --try 'algorithm=…,quota=…,per=…' or --suggest"};
  }
  if (purposes > 1) {
    return Error{"--policy, --try and --suggest are three different questions; ask one at a time"};
  }
  if (flags.decisions && !flags.policy) {
    return Error{std::string("--decisions prints what a --policy decides, and can't be used with ") +
                 (tries ? "--try" : "--suggest")};
  }
  if (flags.key && flags.policy) {
    return Error{"--key is for --try and --suggest; the rules of a --policy name their own keys"};
  }
  if (flags.touch && !flags.suggest) return Error{"--touch is a part of --suggest, which is not given"};
  if (flags.top && flags.decisions) return Error{"--top is for reports; --decisions prints every request"};
  return std::nullopt;
}

ReplayPlan::What purpose_of(const ReplayFlags& flags) {
  if (flags.suggest) return ReplayPlan::What::suggest;
  if (!flags.tries.empty()) return ReplayPlan::What::tries;
  return flags.decisions ? ReplayPlan::What::decisions : ReplayPlan::What::policy;
}

}  // namespace

void define_replay_flags(CLI::App& app, ReplayFlags& flags) {
  const auto text = [&](const char* name, auto& target, const char* what, const char* type) {
    return app.add_option(name, target, what)->type_name(type)->allow_extra_args(false);
  };
  text("--policy", flags.policy, "The policy to replay the log against", "FILE|DIR");
  text("--try", flags.tries,
       "A limit instead of a policy, such as algorithm=sliding_log,quota=60,per=1m; repeatable", "LIMIT");
  const auto flag = [&](const char* name, bool& target, const char* what) {
    app.add_flag(name, target, what)->disable_flag_override();
  };
  flag("--suggest", flags.suggest, "Find limits that leave nearly everybody alone");
  text("--key", flags.key, "With --try or --suggest: what has a bucket of its own [ip]", "DIM[,DIM...]");
  text("--touch", flags.touch, "With --suggest: the share of keys that a limit may touch [0.1%]", "SHARE");
  flag("--decisions", flags.decisions, "One line of JSON per request, in the order of their times, instead");
  flag("--json", flags.json, "One JSON document");
  text("--top", flags.top, "How many of the most denied to name [10]", "N");
  text("--map", flags.maps, "Which field of the log a dimension is, such as endpoint=path; repeatable",
       "DIM=FIELD");
  define_log_flags(app, flags);
  text("--lateness", flags.lateness, "How late a record of a pipe may come and still be put in order [5m]",
       "TIME");
  text("--max-keys", flags.max_keys, "Buckets at the most [10000000]", "N");
  text("--max-memory", flags.max_memory,
       "For the buckets of all limits, and again for sorting, which then goes to disk [1G]", "SIZE");
  app.add_option("LOG", flags.logs, "Logs; .gz and .zst as they are; standard input when none or -")
      ->type_name("");
}

Result<ReplayPlan> plan_of(const ReplayFlags& flags) {
  if (auto error = contradiction(flags)) return *error;
  ReplayPlan plan;
  plan.what = purpose_of(flags);
  plan.policy = flags.policy.value_or("");
  plan.json = flags.json;
  plan.logs = flags.logs;
  std::size_t memory = std::size_t{1} << 30U;
  const Status checks[] = {read_tries(flags.tries, plan.tries),
                           read_key(flags.key, plan.key),
                           read_touch(flags.touch, plan.touch),
                           read_count("--top", flags.top, 0, plan.top),
                           read_maps(flags.maps, plan.input.fields),
                           read_log_flags(flags, plan.log),
                           read_duration("--lateness", flags.lateness, plan.input.lateness),
                           read_count("--max-keys", flags.max_keys, 1, plan.replay.max_keys),
                           read_size("--max-memory", flags.max_memory, memory)};
  for (const Status& check : checks) {
    if (!check) return check.error();
  }
  const std::size_t stores = std::max<std::size_t>(1, plan.tries.size());
  if (memory / stores < kLeastMemory) {
    return wrong_value("--max-memory", *flags.max_memory,
                       "room for no table; the least is " + std::to_string(kLeastMemory * stores) + " bytes");
  }
  plan.replay.max_memory = memory / stores;
  plan.replay.tally_keys = plan.what != ReplayPlan::What::decisions;
  plan.input.sort_memory = memory;
  return plan;
}

}  // namespace weir
