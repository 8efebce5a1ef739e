// The summaries that have a command of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/cli/summary.h"
#include "weir/sketch/ddsketch.h"
#include "weir/sketch/estimate.h"
#include "weir/sketch/frequent_items.h"
#include "weir/sketch/moments.h"
#include "weir/sketch/ultra_log_log.h"

namespace weir {

/// What every kind has to know of the plan.
struct SummaryShape {
  /// One of many, which then has less room.
  bool small = false;
  Seed seed = kFixedSeed;
  std::optional<ForeignForm> save_as;

  static SummaryShape of(const SummaryPlan& plan) {
    return {plan.is_divided(), plan.seed, plan.save_as ? std::optional(plan.save_as->form) : std::nullopt};
  }
};

std::unique_ptr<SummaryKind> stats_kind(std::string field);
std::unique_ptr<SummaryKind> quantiles_kind(const SummaryShape& shape, std::string field,
                                            std::vector<double> qs);
/// Of the values of one field, or of how those of several meet. No field: the one that the format speaks for.
std::unique_ptr<SummaryKind> distinct_kind(const SummaryShape& shape, std::vector<std::string> fields);
std::unique_ptr<SummaryKind> top_kind(const SummaryShape& shape, std::string field,
                                      std::optional<std::string> weight, std::size_t k);
std::unique_ptr<SummaryKind> sample_kind(const SummaryShape& shape, std::size_t k,
                                         std::optional<std::string> weight);

/// `field`, or where it is empty `line` of plain lines and `ip` of what has it.
Result<std::string> field_or_natural(const SummaryReader& reader, const std::string& field);

// Documents that several commands print.
void write_moments(JsonWriter& json, const Moments& moments);
/// In whole values, and no more of them than there were records.
Estimate whole_estimate(const UltraLogLog& sketch, std::uint64_t records);
void write_distinct(JsonWriter& json, const UltraLogLog& sketch, std::uint64_t records);
/// An array of value, count and error.
void write_top(JsonWriter& json, const std::vector<FrequentTexts::Item>& items);
/// The same for people: count, error and value.
std::vector<TableRow> top_rows(const std::vector<FrequentTexts::Item>& items);
void write_quantiles(JsonWriter& json, const DDSketch& sketch, std::span<const double> qs);

/// An error of `what`, which the other system does not have.
Error no_such_form(std::string_view what, ForeignForm form);

}  // namespace weir
