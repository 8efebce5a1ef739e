#include "weir/replay/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "weir/base/text.h"
#include "weir/base/wide.h"

namespace weir {
namespace {

std::string count(std::uint64_t n) {
  return with_thousands(n);
}

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  return count(n) + ' ' + std::string(n == 1 ? one : many);
}

std::string names(const std::vector<std::string>& key) {
  if (key.empty()) return "one bucket for everybody";
  return "one bucket per " + fmt::format("{}", fmt::join(key, " and "));
}

/// `text` filled up with spaces to `width` columns of a terminal.
std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::size_t columns = columns_of(text);
  const std::string blanks(width > columns ? width - columns : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string malformed_lines(const InputSummary& input) {
  if (input.malformed == 0) return {};
  return fmt::format("  {} malformed ({}) and skipped; the first is {}:\n    {}\n", count(input.malformed),
                     share_text(input.malformed, input.records), input.malformed_where,
                     printable(input.malformed_example, 100));
}

std::string order_line(const InputSummary& input) {
  if (input.out_of_order == 0) return {};
  if (input.late == 0) return fmt::format("  {} out of order, and sorted\n", count(input.out_of_order));
  return fmt::format("  {} out of order, of which {} too late to be sorted\n", count(input.out_of_order),
                     count(input.late));
}

std::string head(const InputSummary& input, std::uint64_t requests) {
  std::string out = fmt::format("{} ({})", plural(input.records, "record", "records"), input.format);
  if (!input.from) return out + ", no requests\n" + malformed_lines(input);
  out += fmt::format(", {} in {}\n  from {} to {}\n", plural(requests, "request", "requests"),
                     rough_duration(saturating_sub(*input.to, *input.from)), format_rfc3339(*input.from),
                     format_rfc3339(*input.to));
  return out + order_line(input) + malformed_lines(input);
}

std::string denied_lines(const std::vector<KeyDenied>& all, std::uint64_t keys_denied,
                         std::string_view indent) {
  std::string out;
  std::size_t width = 0;
  for (const KeyDenied& who : all) width = std::max(width, count(who.denied).size());
  for (const KeyDenied& who : all) {
    out += fmt::format("{}{}  {}\n", indent, padded(count(who.denied), width, true), key_text(who.key));
  }
  if (keys_denied > all.size() && !all.empty()) {
    out += fmt::format("{}and {}\n", indent, plural(keys_denied - all.size(), "other key", "other keys"));
  }
  return out;
}

std::string worst_line(const RuleReport& rule) {
  if (!rule.worst) return {};
  return fmt::format("  at most {} admitted in {} for {}, until {}\n", count(rule.worst->count),
                     format_duration(saturating_sub(rule.worst->to, rule.worst->from)),
                     key_text(rule.worst->key), format_rfc3339(rule.worst->to));
}

std::string rule_text(const RuleReport& rule) {
  std::string out =
      fmt::format("\n{}{}: {}, {}\n", printable(rule.name),
                  rule.shadow ? " (shadow: what it would have done)" : "", rule.limit, names(rule.key));
  if (rule.requests == 0) return out + "  met by no request\n";
  out += fmt::format("  met by {} of {}\n", plural(rule.requests, "request", "requests"),
                     plural(rule.keys, "key", "keys"));
  if (rule.denied == 0) {
    out += "  denied nobody\n";
  } else {
    out += fmt::format("  denied {} ({}) of {} ({})\n", plural(rule.denied, "request", "requests"),
                       share_text(rule.denied, rule.requests), plural(rule.keys_denied, "key", "keys"),
                       share_text(rule.keys_denied, std::max(rule.keys, rule.keys_denied)));
  }
  if (rule.delayed > 0) out += fmt::format("  delayed {}\n", plural(rule.delayed, "request", "requests"));
  return out + worst_line(rule) + denied_lines(rule.top_denied, rule.keys_denied, "    ");
}

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell; all but the first and the last to the right.
std::string table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) out += padded(row[i], widths[i], i > 0) + "  ";
    out += row.back() + '\n';
  }
  return out;
}

std::string first_denied(const std::vector<KeyDenied>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, all.size()); ++i) {
    out += (i > 0 ? ", " : "") + key_text(all[i].key) + ": " + count(all[i].denied);
  }
  return out;
}

}  // namespace

std::string key_text(const BucketKey& key) {
  if (key.empty()) return "everybody";
  std::string out;
  for (const std::string& value : key) {
    out += (out.empty() ? "" : ", ") + (value.empty() ? "(missing)" : printable(value));
  }
  return out;
}

std::string rough_duration(Nanos d) {
  if (d <= 0) return "0s";
  constexpr std::array<std::pair<Nanos, std::string_view>, 7> kUnits{{{kDay, "d"},
                                                                      {kHour, "h"},
                                                                      {kMinute, "m"},
                                                                      {kSecond, "s"},
                                                                      {kMillisecond, "ms"},
                                                                      {kMicrosecond, "us"},
                                                                      {1, "ns"}}};
  std::size_t first = 0;
  while (d < kUnits[first].first) ++first;
  std::string out = fmt::format("{}{}", d / kUnits[first].first, kUnits[first].second);
  if (first + 1 == kUnits.size()) return out;
  const Nanos rest = d % kUnits[first].first / kUnits[first + 1].first;
  if (rest > 0) out += fmt::format(" {}{}", rest, kUnits[first + 1].second);
  return out;
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0%";
  if (part >= whole) return "100%";
  if (part == 0) return "0%";
  // Rounded half up, but never to nothing or to all, which it is not.
  const auto twice = static_cast<std::uint64_t>(mul_div_floor(part, 20'000, whole));
  const std::uint64_t hundredths = std::min<std::uint64_t>((twice + 1) / 2, 9'999);
  if (hundredths == 0) return "<0.01%";
  return fmt::format("{}.{:02}%", hundredths / 100, hundredths % 100);
}

std::string text_of(const ReplayReport& report) {
  std::string out = head(report.input, report.requests);
  if (!report.input.from) return out;
  out += fmt::format("\nadmitted {} ({}), denied {} ({})", count(report.admitted),
                     share_text(report.admitted, report.requests), count(report.denied),
                     share_text(report.denied, report.requests));
  if (report.delayed > 0) out += fmt::format(", delayed {}", count(report.delayed));
  out += '\n';
  if (report.unmatched > 0) {
    out += fmt::format("no rule matched {}\n", plural(report.unmatched, "request", "requests"));
  }
  if (report.lifted > 0) {
    out += fmt::format("an unlimited rule let {} pass\n", plural(report.lifted, "request", "requests"));
  }
  for (const RuleReport& rule : report.rules) out += rule_text(rule);
  return out;
}

std::string text_of_tries(const std::vector<ReplayReport>& reports) {
  const ReplayReport& first = reports.front();
  std::string out = head(first.input, first.requests);
  if (!first.input.from) return out;
  out += fmt::format("  {}\n\n", names(first.rules.front().key));
  std::vector<Row> rows{
      {"limit", "admitted", "denied", "delayed", "keys denied", "worst window", "most denied"}};
  for (const ReplayReport& report : reports) {
    const RuleReport& rule = report.rules.front();
    rows.push_back({rule.limit, count(report.admitted), count(report.denied), count(report.delayed),
                    count(rule.keys_denied) + " of " + count(rule.keys),
                    rule.worst ? count(rule.worst->count) : "-", first_denied(rule.top_denied)});
  }
  return out + table(rows);
}

std::string text_of(const SuggestReport& report) {
  std::string out = head(report.input, report.requests + report.keyless);
  if (!report.input.from) return out;
  out += fmt::format("  {}: {}, of which a limit may touch {}\n\n", names(report.key),
                     plural(report.keys, "key", "keys"), count(report.may_touch));
  if (report.suggestions.empty()) return out + "no limit touches so few\n";
  out += "The smallest limit of each kind:\n";
  for (const Suggestion& one : report.suggestions) {
    out += fmt::format("\n{}\n  touches {} ({}), denies {} ({})\n", describe(one.limit),
                       plural(one.keys_touched, "key", "keys"), share_text(one.keys_touched, report.keys),
                       plural(one.denied, "request", "requests"), share_text(one.denied, report.requests));
    out += denied_lines(one.top_denied, one.keys_touched, "    ");
  }
  return out;
}

std::vector<std::string> warnings_of(const InputSummary& input) {
  std::vector<std::string> out;
  if (input.late > 0) {
    const Nanos enough = (ceil_seconds(input.worst_lateness) + 1) * kSecond;
    out.push_back(fmt::format(
        "{} came later than the buffer of --lateness {} could put in order (the latest by {}), so the counts "
        "are not exact; use --lateness {} or name the log as a file, which is sorted completely",
        plural(input.late, "record", "records"), format_duration(input.lateness),
        rough_duration(input.worst_lateness), format_duration(enough)));
  }
  if (input.records > 0 && input.malformed == input.records) {
    out.push_back(fmt::format("none of {} could be read as {}", plural(input.records, "record", "records"),
                              input.format));
  }
  return out;
}

std::vector<std::string> warnings_of(const ReplayReport& report) {
  std::vector<std::string> out = warnings_of(report.input);
  for (const RuleReport& rule : report.rules) {
    const std::string name = "rule \"" + printable(rule.name) + '"';
    if (rule.skipped > 0) {
      out.push_back(fmt::format("{}: {} without {}, so it did not apply to them", name,
                                plural(rule.skipped, "request came", "requests came"),
                                fmt::join(rule.key, " and ")));
    }
    if (rule.full > 0) {
      out.push_back(
          fmt::format("{}: no room for the buckets of {}, which were decided as on_full says; use "
                      "a larger --max-keys or --max-memory",
                      name, plural(rule.full, "request", "requests")));
    }
  }
  return out;
}

}  // namespace weir
