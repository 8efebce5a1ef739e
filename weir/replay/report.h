// What a replay found, as plain values. report_json and report_text print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/limit/limit.h"
#include "weir/replay/input.h"

namespace weir {

/// The values that name a bucket, in the order of the rule's key; none for the one global bucket.
using BucketKey = std::vector<std::string>;

/// The most units that were admitted for one key in any trailing window (to - per, to].
struct WorstWindow {
  BucketKey key;
  std::uint64_t count = 0;
  Nanos from = 0;
  Nanos to = 0;
};

struct KeyDenied {
  BucketKey key;
  /// Requests of this key that violated the rule.
  std::uint64_t denied = 0;
};

struct RuleReport {
  std::string name;
  /// "60 per 1m (sliding_log)", or "unlimited".
  std::string limit;
  /// Names of the dimensions of its key.
  std::vector<std::string> key;
  /// Counted on its own, without a say in the outcome.
  bool shadow = false;
  std::uint64_t requests = 0;  // that met the rule
  /// Charged to it: admitted by all rules or, for a shadow or under `charging: each`, by this one.
  std::uint64_t admitted = 0;
  std::uint64_t denied = 0;   // violated it
  std::uint64_t delayed = 0;  // of the admitted, asked to wait
  std::uint64_t skipped = 0;  // would have met it, but lacked a dimension of its key
  std::uint64_t full = 0;     // met it when the store had no room for their bucket
  std::uint64_t keys = 0;
  std::uint64_t keys_denied = 0;
  /// Nothing when nothing was charged to a limit.
  std::optional<WorstWindow> worst{};
  /// The keys with the most denials, ties by the bytes of the key.
  std::vector<KeyDenied> top_denied{};
};

struct RuleKeyDenied {
  std::size_t rule = 0;
  KeyDenied who;
};

struct ReplayReport {
  InputSummary input{};
  std::uint64_t requests = 0;
  std::uint64_t admitted = 0;
  std::uint64_t denied = 0;
  std::uint64_t delayed = 0;
  std::uint64_t unmatched = 0;  // met no rule, and were admitted
  std::uint64_t lifted = 0;     // met a rule with `unlimited: true`, which lifts all others
  std::vector<RuleReport> rules{};
  /// Over all rules but the shadows.
  std::vector<RuleKeyDenied> top_denied{};
};

/// The period of a limit as a span, for trailing windows: of a calendar period its shortest full length (a
/// month is 28 days), so that a window never reaches over three periods.
Nanos trailing_span(const Limit& limit);

}  // namespace weir
