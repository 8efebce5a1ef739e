#include "weir/cli/summary_flags.h"

#include <sys/stat.h>

#include <algorithm>

#include "weir/base/text.h"

namespace weir {
namespace {

Status read_save_as(const std::vector<std::string>& words, std::optional<SaveAs>& out) {
  if (words.empty()) return Done{};
  if (words.front() == "datasketches") out = SaveAs{ForeignForm::datasketches, words.back()};
  if (words.front() == "redis") out = SaveAs{ForeignForm::redis, words.back()};
  if (out) return Done{};
  return wrong_value("--save-as", words.front(),
                     "not a form that there is; write datasketches or redis, then a file");
}

Status read_seed(const std::optional<std::string>& text, Seed& out) {
  if (!text) return Done{};
  const auto seed = parse_uint(*text);
  if (!seed) return wrong_value("--seed", *text, "not a whole number from 0 to 18446744073709551615");
  out = Seed{*seed};
  return Done{};
}

Status read_where(const std::optional<std::string>& text, Where& out) {
  if (!text) return Done{};
  Result<Where> where = Where::parse(*text);
  if (!where) return where.error();
  out = std::move(where).value();
  return Done{};
}

/// Flags that can't be used together, or without each other.
Status check_combination(const SummaryFlags& flags) {
  const bool divided = flags.by || flags.every;
  if (divided && (flags.save || !flags.save_as.empty())) {
    return Error{"--save and --save-as keep one summary, and --by and --every make several"};
  }
  if (flags.max_groups && !flags.by) return Error{"--max-groups is a part of --by, which is not given"};
  if (flags.by && flags.by->empty()) return Error{"--by: the name of the field is empty"};
  return Done{};
}

bool is_only_word_and_file(const std::string& word, const SummaryFlags& flags) {
  struct stat facts {};
  if (!flags.paths.empty() || word.find_first_of("./") == std::string::npos) return false;
  return ::stat(word.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode);
}

}  // namespace

void define_summary_flags(CLI::App& app, SummaryFlags& flags, SummaryFlagSet set) {
  const auto text = [&](const char* name, auto& target, const char* what, const char* type) {
    return app.add_option(name, target, what)->type_name(type)->allow_extra_args(false);
  };
  text("--where", flags.where, "Only records for which it holds, such as 'status>=500 and method=POST'",
       "CONDITION");
  if (set.divides) {
    text("--by", flags.by, "A summary for each value of this field", "FIELD");
    text("--max-groups", flags.max_groups,
         "With --by: so many values at the most; the rest is one group [10000]", "N");
    text("--every", flags.every, "A summary for each window of event time, such as 1m", "TIME");
    text("--lateness", flags.lateness,
         "How late a record of a pipe may come and still be put in order [5m]; files are sorted", "TIME");
  }
  if (set.seed)
    text("--seed", flags.seed, "What the draws come from; the same input and seed give the same sample", "N");
  if (set.saves) {
    text("--save", flags.save, "Keep the summary in a file, for weir merge and weir show", "FILE");
    app.add_option("--save-as", flags.save_as,
                   "Keep it in another system's form: datasketches FILE or redis FILE")
        ->type_name("FORM FILE")
        ->expected(2)
        ->allow_extra_args(false);
  }
  app.add_flag("--json", flags.json, "One JSON document")->disable_flag_override();
  define_log_flags(app, flags);
  text("--threads", flags.threads, "How many threads read files [one for each core, at most 16]", "N");
}

void define_input_flags(CLI::App& app, SummaryFlags& flags) {
  app.add_option("FILE", flags.paths, "Logs; .gz and .zst as they are; standard input when none or -")
      ->type_name("");
}

void take_field_for_file(std::string& field, SummaryFlags& flags) {
  if (!is_only_word_and_file(field, flags)) return;
  flags.paths.push_back(std::move(field));
  field.clear();
}

Status check_field_is_no_file(const std::string& field, const SummaryFlags& flags) {
  if (!is_only_word_and_file(field, flags)) return Done{};
  return Error{"FIELD is missing: " + printable(field, 200) + " is a file; name a field before it"};
}

Result<SummaryPlan> summary_plan_of(const SummaryFlags& flags) {
  if (Status fits = check_combination(flags); !fits) return fits.error();
  SummaryPlan plan;
  plan.paths = flags.paths;
  plan.by = flags.by;
  plan.save = flags.save;
  plan.json = flags.json;
  std::size_t threads = 0;
  Nanos every = 0;
  const Status checks[] = {read_log_flags(flags, plan.log),
                           read_count("--threads", flags.threads, 1, threads),
                           read_where(flags.where, plan.where),
                           read_count("--max-groups", flags.max_groups, 1, plan.max_groups),
                           read_duration("--every", flags.every, every),
                           read_duration("--lateness", flags.lateness, plan.lateness),
                           read_seed(flags.seed, plan.seed),
                           read_save_as(flags.save_as, plan.save_as)};
  for (const Status& check : checks) {
    if (!check) return check.error();
  }
  if (flags.every) plan.every = every;
  plan.threads = static_cast<unsigned>(std::min<std::size_t>(threads, 1024));
  return plan;
}

}  // namespace weir
