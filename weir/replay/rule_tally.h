// What one rule did: its counts, and for each key how often it was denied and how much it was given in the
// worst window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "weir/policy/rule.h"
#include "weir/replay/bucket_index.h"
#include "weir/replay/report.h"
#include "weir/replay/trailing_window.h"

namespace weir {

/// What a rule made of some requests of one key that all came at one instant and all fared alike.
struct RuleOutcome {
  Nanos time = 0;
  /// Nothing when the key is missing and the rule denies such requests.
  std::optional<std::uint64_t> bucket{};
  std::uint32_t limit = 0;  // into Rule::limits
  std::span<const std::string_view> key{};
  std::uint64_t requests = 1;
  std::uint64_t units = 1;  // of each
  bool violated = false;
  bool charged = false;
  bool delayed = false;
  bool full = false;
};

struct KeyTally {
  TrailingWindow admitted;
  std::uint64_t denied = 0;
  std::uint32_t name = 0;  // into the names of the denied keys; only who is denied has one
};

class RuleTally {
 public:
  /// Without `per_key` only totals are kept, and memory does not grow.
  explicit RuleTally(const Rule& rule, bool per_key = true);

  void add(const RuleOutcome& outcome);
  /// Requests that met a rule without a limit.
  void add_unlimited(std::uint64_t requests);
  void add_skipped(std::uint64_t requests) { totals_.skipped += requests; }

  /// With the `top` most denied keys.
  RuleReport report(std::size_t top) const;

 private:
  KeyTally& tally_of(const RuleOutcome& outcome);
  void add_denied(KeyTally& tally, const RuleOutcome& outcome);
  void add_charged(KeyTally& tally, const RuleOutcome& outcome);
  std::vector<KeyDenied> most_denied(std::size_t top) const;

  bool per_key_;
  std::vector<std::optional<Nanos>> spans_;  // per limit: its trailing window; nothing where unlimited
  RuleReport totals_;
  BucketIndex index_;
  std::vector<KeyTally> keys_;
  /// Those whose key is missing share a tally: there is no bucket to tell them apart.
  std::optional<KeyTally> keyless_;
  std::vector<BucketKey> denied_keys_;
};

}  // namespace weir
