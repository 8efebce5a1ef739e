#include "weir/cli/field_summary.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "weir/base/text.h"
#include "weir/cli/summary_kinds.h"
#include "weir/cli/table.h"
#include "weir/stream/number.h"

namespace weir {
namespace {

constexpr unsigned kPrecision = 14;
constexpr unsigned kLgCells = 11;
constexpr std::size_t kNamed = 5;
/// A field is one of numbers when nine in ten of its values are.
constexpr double kNumeric = 0.9;
const std::vector<double> kQuantiles{0.5, 0.9, 0.99};

}  // namespace

FieldSummary::FieldSummary(std::string name, FieldId id, Seed seed)
    : name_(std::move(name)),
      id_(id),
      distinct_(UltraLogLog::create(kPrecision, seed).value()),
      top_(FrequentTexts::create(kLgCells, seed).value()),
      quantiles_(DDSketch::create().value()) {}

void FieldSummary::add(const Record& record) {
  const auto text = record.field(id_);
  if (!text) return;
  records_ += record.weight;
  distinct_.add(*text);
  top_.add(*text, record.weight);
  const auto value = parse_number(*text);
  if (!value) {
    moments_.add_bad(record.weight);
    quantiles_.add_bad(record.weight);
    return;
  }
  for (std::uint64_t i = 0; i < record.weight; ++i) {
    moments_.add(*value);
    quantiles_.add(*value);
  }
}

/// Status codes are numbers too, but nobody asks for their mean: few different values are names.
bool FieldSummary::is_numeric() const {
  constexpr double kFewValues = 64;
  return static_cast<double>(moments_.count()) > kNumeric * static_cast<double>(records_) &&
         distinct_.order_free_estimate().value > kFewValues;
}

void FieldSummary::write_json(JsonWriter& json) const {
  json.begin_object().key("field").text(name_).key("distinct");
  write_distinct(json, distinct_, records_);
  json.key("top");
  write_top(json, top_.top(kNamed));
  json.key("stats");
  if (is_numeric()) {
    write_moments(json, moments_);
    json.key("quantiles");
    write_quantiles(json, quantiles_, kQuantiles);
  } else {
    json.null().key("quantiles").null();
  }
  json.end_object();
}

std::string FieldSummary::text() const {
  const Estimate distinct = whole_estimate(distinct_, records_);
  return fmt::format("\n{}: {}{} different values in {} records\n", printable(name_),
                     distinct_.is_exact() ? "" : "about ", number_text(distinct.value),
                     with_thousands(records_)) +
         (is_numeric() ? numbers_text() : top_text());
}

std::string FieldSummary::numbers_text() const {
  std::string out =
      fmt::format("  from {} to {}, {} on average, {} in all\n", number_text(moments_.min()),
                  number_text(moments_.max()), number_text(moments_.mean()), number_text(moments_.sum()));
  for (const double q : kQuantiles) {
    if (const auto at = quantiles_.quantile(q)) {
      out += fmt::format("  {:g}% are at most {} ({} to {})\n", q * 100, number_text(at->value),
                         number_text(at->low), number_text(at->high));
    }
  }
  return out;
}

std::string FieldSummary::top_text() const {
  Table table({{""}, {"", false}}, terminal_width());
  std::vector<TableRow> rows;
  for (const auto& item : top_.top(kNamed)) {
    const auto upper = static_cast<double>(item.upper);
    rows.push_back(
        {.cells = {(item.upper > item.lower ? "<= " : "") + number_text(upper), printable(item.key, 60)},
         .bar = upper});
  }
  const std::string printed = table.print(rows);
  // There is nothing to head.
  return printed.substr(printed.find('\n') + 1);
}

}  // namespace weir
