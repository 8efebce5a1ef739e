#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/cli/explain_facts.h"

namespace weir {
namespace {

std::string key_text(const Explanation::RuleShown& shown) {
  std::string out;
  for (const Explanation::KeyPart& part : shown.key) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", printable(part.dimension),
                       part.value.empty() ? "(missing)" : printable(part.value));
  }
  return out.empty() ? "one for everybody" : "one for " + out;
}

std::string most_text(const Most& most) {
  std::string out;
  for (std::size_t i = 0; i < most.size(); ++i) {
    out += fmt::format("{}{} in one {}", out.empty() ? "" : ", ", with_thousands(most[i]),
                       kExplainedSpans[i].name);
  }
  return out;
}

std::string denial_text(const Rule& rule, const RuleFacts& facts) {
  if (rule.action == Action::shadow) return "nothing: a shadow is only counted";
  if (facts.units == 0 && facts.retry_after == 0) return "never, as a cost of 0 takes nothing";
  if (!facts.retry_after) return "429 without Retry-After: no wait will ever help";
  return fmt::format("429 with Retry-After: {} when all is spent{}", ceil_seconds(*facts.retry_after),
                     rule.action == Action::delay ? "; before that, how long to wait" : "");
}

std::string request_lines(const ExplainReport& report) {
  std::string out = "request\n";
  for (const Explanation::DimensionShown& dimension : report.explanation.dimensions) {
    out += fmt::format("  {} = {}{}\n", printable(dimension.name), printable(dimension.value),
                       dimension.derived ? " (looked up)" : "");
  }
  if (report.cost != 1) out += fmt::format("  cost {}\n", with_thousands(report.cost));
  for (const std::string& name : report.explanation.ignored) {
    out += fmt::format("  {} is ignored: no rule speaks of it, or it is looked up\n", printable(name));
  }
  return out;
}

std::string rule_lines(const ExplainReport& report, std::size_t i) {
  const Explanation::RuleShown& shown = report.explanation.rules[i];
  const Rule& rule = report.policy->rules()[shown.rule];
  const RuleLimit& limit = rule.limits[shown.limit];
  std::string out =
      fmt::format("\n{}{}\n  applies:   {}\n", printable(rule.name),
                  rule.action == Action::shadow ? " (shadow)" : "", printable(shown.applies_because, 400));
  if (shown.missing) {
    return out + fmt::format("  bucket:    {}\n  denied:    always, as on_missing says\n", key_text(shown));
  }
  out +=
      fmt::format("  limit:     {}\n  because:   {}\n", limit.unlimited ? "unlimited" : describe(limit.limit),
                  printable(shown.limit_because, 200));
  if (!report.facts[i]) return out;
  const RuleFacts& facts = *report.facts[i];
  out += fmt::format("  bucket:    {}\n", key_text(shown));
  if (facts.units != 1) out += fmt::format("  takes:     {} units a request\n", with_thousands(facts.units));
  out += fmt::format("  at most:   {}\n  if denied: {}\n  store:     {} {}", most_text(facts.most),
                     denial_text(rule, facts), facts.words, facts.words == 1 ? "word" : "words");
  if (facts.log_entries > 0)
    out += fmt::format(" and a log of up to {} entries", with_thousands(facts.log_entries));
  return out + '\n';
}

std::string skipped_lines(const ExplainReport& report) {
  std::string out;
  for (const Explanation::RuleSkipped& skipped : report.explanation.skipped) {
    out += fmt::format("\n{}\n  skipped: the request has no {}\n",
                       printable(report.policy->rules()[skipped.rule].name),
                       printable(fmt::format("{}", fmt::join(skipped.missing, ", "))));
  }
  return out;
}

std::string summary_lines(const ExplainReport& report) {
  std::size_t buckets = 0;
  unsigned words = 0;
  for (const auto& facts : report.facts) {
    buckets += facts ? 1 : 0;
    words += facts ? facts->words : 0;
  }
  std::string out;
  if (report.explanation.others > 0) {
    out += fmt::format("\n{} other {} not apply\n", report.explanation.others,
                       report.explanation.others == 1 ? "rule does" : "rules do");
  }
  if (report.most) {
    out += fmt::format("\na greedy client gets at most {}\n", most_text(*report.most));
  } else if (report.explanation.rules.empty()) {
    out += "\nno rule holds this request: it always passes\n";
  }
  return out + fmt::format("a decision costs the store {} in one step, {} in all\n",
                           buckets == 1 ? "1 look-up" : std::to_string(buckets) + " look-ups",
                           words == 1 ? "1 word" : std::to_string(words) + " words");
}

}  // namespace

std::string text_of(const ExplainReport& report) {
  std::string out = request_lines(report);
  if (const auto rule = report.explanation.unlimited_by) {
    return out + fmt::format("\n{} is unlimited and lifts every other rule: the request always passes\n",
                             printable(report.policy->rules()[*rule].name));
  }
  for (std::size_t i = 0; i < report.explanation.rules.size(); ++i) out += rule_lines(report, i);
  return out + skipped_lines(report) + summary_lines(report);
}

}  // namespace weir
