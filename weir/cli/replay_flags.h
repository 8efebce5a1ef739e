// The flags of `weir replay`, as they are typed and as they are meant.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/result.h"
#include "weir/cli/flag_values.h"
#include "weir/limit/limit.h"
#include "weir/replay/replay.h"
#include "weir/replay/suggest.h"
#include "weir/stream/log_stream.h"

namespace weir {

/// Text as it came, so that we and not the parser say what is wrong with it. Nothing: not given.
struct ReplayFlags : LogFlags {
  std::vector<std::string> logs;
  std::optional<std::string> policy;
  std::vector<std::string> tries;
  bool suggest = false;
  bool json = false;
  bool decisions = false;
  std::optional<std::string> key;
  std::optional<std::string> touch;
  std::optional<std::string> top;
  std::vector<std::string> maps;
  std::optional<std::string> lateness;
  std::optional<std::string> max_keys;
  std::optional<std::string> max_memory;
};

/// What to do, checked.
struct ReplayPlan {
  enum class What { policy, decisions, tries, suggest };

  What what = What::policy;
  std::string policy;
  std::vector<Limit> tries;
  std::vector<std::string> key{"ip"};
  Share touch{1'000'000};  // 0.1%
  bool json = false;
  std::size_t top = 10;
  std::vector<std::string> logs;
  LogOptions log;
  InputOptions input;
  ReplayOptions replay;
};

void define_replay_flags(CLI::App& app, ReplayFlags& flags);

/// Errors name the flag, what was found and what was meant.
Result<ReplayPlan> plan_of(const ReplayFlags& flags);

}  // namespace weir
