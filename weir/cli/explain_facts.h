// The numbers of `weir policy explain`: what a limit lets through, what it tells those it denies, and what it
// costs the store.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/policy/explain.h"

namespace weir {

struct ExplainedSpan {
  Nanos span;
  std::string_view name;
};
inline constexpr std::array<ExplainedSpan, 4> kExplainedSpans{
    {{kSecond, "second"}, {kMinute, "minute"}, {kHour, "hour"}, {kDay, "day"}}};
using Most = std::array<std::uint64_t, kExplainedSpans.size()>;

struct RuleFacts {
  /// Units that one request takes from the bucket.
  std::uint64_t units = 1;
  /// Requests at the most in each of kExplainedSpans, whatever the client does. Exact, but for a
  /// sliding_counter of requests that take several units, where it is an upper bound.
  Most most{};
  /// What a request is told that comes when all is spent; nothing for never. In windows that end at fixed
  /// instants the longest wait.
  std::optional<Nanos> retry_after = 0;
  /// Words of state, and of a sliding log the entries of two words each that it may grow to.
  unsigned words = 0;
  std::uint64_t log_entries = 0;
};

/// REQUIRES: `limit` is not unlimited.
RuleFacts facts_of(const Rule& rule, const Limit& limit, std::uint64_t cost, Nanos now);

/// Everything that is printed.
struct ExplainReport {
  const Policy* policy = nullptr;
  Explanation explanation;
  std::uint64_t cost = 1;
  /// One for each of explanation.rules; nothing where nothing limits or the key is missing.
  std::vector<std::optional<RuleFacts>> facts;
  /// What all rules together let through; nothing when none limits.
  std::optional<Most> most;
};

/// `policy` must outlive the report. `now` matters to calendar periods alone.
ExplainReport explain_request(const Policy& policy, const Request& request, Nanos now);

std::string text_of(const ExplainReport& report);
std::string json_of(const ExplainReport& report);

}  // namespace weir
