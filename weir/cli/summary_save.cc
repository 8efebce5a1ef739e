#include "weir/cli/summary_save.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/text.h"
#include "weir/cli/command.h"
#include "weir/cli/signals.h"
#include "weir/cli/summary_file.h"
#include "weir/stream/summary_origin.h"

namespace weir {
namespace {

/// A file that is to be written, and the flag that says so.
struct Target {
  std::string_view flag;
  std::string path;
};

std::vector<Target> targets_of(const SummaryPlan& plan) {
  std::vector<Target> targets;
  if (plan.save) targets.push_back({"--save", *plan.save});
  if (plan.save_as) targets.push_back({"--save-as", plan.save_as->path});
  return targets;
}

using FileIdentity = std::pair<dev_t, ino_t>;

/// Of what is there; "-" is standard input. A device, such as a terminal, may well be read and written.
std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat facts {};
  const bool there = path == "-" ? ::fstat(STDIN_FILENO, &facts) == 0 : ::stat(path.c_str(), &facts) == 0;
  if (!there || S_ISCHR(facts.st_mode)) return std::nullopt;
  return FileIdentity{facts.st_dev, facts.st_ino};
}

bool is_same_file(const std::string& a, const std::string& b) {
  const auto identity = identity_of(a);
  return identity && identity == identity_of(b);
}

bool is_missing(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) != 0;
}

Status check_target(const Target& target, const std::vector<std::string>& inputs) {
  const std::string flag = std::string(target.flag) + ": ";
  if (target.path.empty()) return Error{flag + "the name of the file is empty"};
  if (target.path == "-") {
    return Error{flag + "the figures go to standard output; write ./- for a file of that name"};
  }
  const bool is_read = std::any_of(inputs.begin(), inputs.end(),
                                   [&](const std::string& path) { return is_same_file(target.path, path); });
  if (!is_read) return Done{};
  return Error{flag + printable(target.path, 200) + " is one of the logs to be read; name another file"};
}

/// Why nothing came of the reading.
std::optional<std::string_view> reason_not_to_save(const SummaryReader& reader) {
  const LogCounts& counts = reader.counts();
  if (!reader.status()) return "the input can't be read to its end";
  if (counts.records > 0 && counts.malformed == counts.records) return "no record could be parsed";
  if (counts.records == 0 && signal_exit_code() != 0) return "no record had come";
  return std::nullopt;
}

}  // namespace

Status check_targets(const SummaryPlan& plan) {
  const std::vector<Target> targets = targets_of(plan);
  const std::vector<std::string> inputs = plan.paths.empty() ? std::vector<std::string>{"-"} : plan.paths;
  for (const Target& target : targets) {
    if (Status fits = check_target(target, inputs); !fits) return fits;
  }
  if (targets.size() < 2) return Done{};
  const std::string& first = targets.front().path;
  const std::string& second = targets.back().path;
  if (!is_same_file(first, second) && !(first == second && is_missing(first))) return Done{};
  return Error{"--save and --save-as both name " + printable(first, 200)};
}

Status save_summary(const SummaryPlan& plan, const SummaryKind& kind, const Summary& summary,
                    const SummaryReader& reader) {
  if (const auto reason = reason_not_to_save(reader)) {
    for (const Target& target : targets_of(plan)) {
      note(printable(target.path, 200) + ": is not written: " + std::string(*reason));
    }
    return Done{};
  }
  if (plan.save) {
    const Result<std::string> bytes = summary.save();
    if (!bytes) return bytes.error();
    if (Status written = write_file(*plan.save, encode_origin(kind.origin()) + *bytes); !written)
      return written;
  }
  if (!plan.save_as) return Done{};
  const Result<std::string> bytes = summary.save_as(plan.save_as->form);
  if (!bytes) return bytes.error();
  return write_file(plan.save_as->path, *bytes);
}

}  // namespace weir
