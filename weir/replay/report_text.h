// Reports for people. What they say may change; report_json.h is for programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/replay/report.h"
#include "weir/replay/suggest.h"

namespace weir {

std::string text_of(const ReplayReport& report);
/// The same log under several limits, side by side. REQUIRES: one report or more, each with one rule.
std::string text_of_tries(const std::vector<ReplayReport>& reports);
std::string text_of(const SuggestReport& report);

/// What a reader of any report, machines' included, should be told besides: one sentence each.
std::vector<std::string> warnings_of(const InputSummary& input);
std::vector<std::string> warnings_of(const ReplayReport& report);

/// "203.0.113.9, /login", escaped for a terminal; "everybody" for the one global bucket.
std::string key_text(const BucketKey& key);
/// A duration in its two largest units, cut: "3d 11h", "1m 30s", "250ms".
std::string rough_duration(Nanos d);
/// "12.34%" of `whole`, cut, never 0.00% of something and never 100.00% of less than all.
std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace weir
