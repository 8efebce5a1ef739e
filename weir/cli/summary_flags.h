// The flags that all summaries have, as they are typed and as they are meant.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/result.h"
#include "weir/cli/flag_values.h"
#include "weir/sketch/seed.h"
#include "weir/stream/log_stream.h"
#include "weir/stream/where.h"

namespace weir {

/// Text as it came, so that we and not the parser say what is wrong with it. Nothing: not given.
struct SummaryFlags : LogFlags {
  std::vector<std::string> paths;
  std::optional<std::string> threads;
  std::optional<std::string> where;
  std::optional<std::string> by;
  std::optional<std::string> max_groups;
  std::optional<std::string> every;
  std::optional<std::string> lateness;
  std::optional<std::string> seed;
  std::optional<std::string> save;
  std::vector<std::string> save_as;
  bool json = false;
};

/// Another system's form of a summary.
enum class ForeignForm { datasketches, redis };

struct SaveAs {
  ForeignForm form;
  std::string path;
};

/// What to do, checked.
struct SummaryPlan {
  std::vector<std::string> paths;
  LogOptions log;
  unsigned threads = 0;
  Where where;
  std::optional<std::string> by;
  std::size_t max_groups = 10'000;
  std::optional<Nanos> every;
  Nanos lateness = 5 * kMinute;
  Seed seed = kFixedSeed;
  std::optional<std::string> save;
  std::optional<SaveAs> save_as;
  bool json = false;

  /// Whether there will be more than one summary, each of which then has less room.
  bool is_divided() const { return by || every; }
};

/// Which of the shared flags a command has besides those of its input, --where and --json.
struct SummaryFlagSet {
  bool divides = true;  // --by, --max-groups, --every, --lateness
  bool saves = true;    // --save, --save-as
  bool seed = false;    // --seed
};

void define_summary_flags(CLI::App& app, SummaryFlags& flags, SummaryFlagSet set);
/// Those that name the input, which stand last.
void define_input_flags(CLI::App& app, SummaryFlags& flags);

/// What --help says of the first word where it may be left out.
inline constexpr const char* kFieldOrFile =
    "; a word with a dot or a slash that stands alone and is a file is the log";

/// `weir top access.log`: a name with a dot or a slash that is the only word, and a file, is the file and no
/// field.
void take_field_for_file(std::string& field, SummaryFlags& flags);
/// The same word where a field must be named: an error, for else standard input would be waited for.
Status check_field_is_no_file(const std::string& field, const SummaryFlags& flags);

/// Errors name the flag, what was found and what was meant.
Result<SummaryPlan> summary_plan_of(const SummaryFlags& flags);

}  // namespace weir
