// Limits that would have left nearly everybody alone: for each kind of limit the smallest that touches at
// most a given share of the keys of a log, exactly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weir/limit/kernel.h"
#include "weir/policy/policy.h"
#include "weir/replay/bucket_index.h"
#include "weir/replay/event.h"
#include "weir/replay/report.h"

namespace weir {

/// A share in billionths, as --touch takes it: "0.1%", "0.001", "0". Nothing when it is no share.
struct Share {
  std::uint64_t billionths = 0;
};
Result<Share> parse_share(std::string_view text);

struct Suggestion {
  Limit limit;
  std::uint64_t keys_touched = 0;  // with a denial or more
  std::uint64_t denied = 0;        // requests
  /// Of them all, the keys with the most denials, ties by the bytes of the key.
  std::vector<KeyDenied> top_denied{};
};

struct SuggestReport {
  InputSummary input{};
  std::vector<std::string> key{};
  std::uint64_t requests = 0;  // that have a key
  std::uint64_t keyless = 0;   // that lack a dimension of it
  std::uint64_t keys = 0;
  std::uint64_t may_touch = 0;  // the share, in whole keys
  std::vector<Suggestion> suggestions{};
};

class Suggest {
 public:
  /// `key_policy` has one rule with the key: see policy_of. It says how values are normalised.
  Suggest(std::shared_ptr<const Policy> key_policy, TimeFrame frame);

  /// REQUIRES: events come in the order of their times.
  void add(const Event& event);
  /// Everything but `input`. Limits whose period is longer than the log are left out: nothing in it speaks
  /// for them.
  SuggestReport report(Share touch, std::size_t top);

 private:
  struct Use {
    Nanos time;
    std::uint64_t cost;
    std::uint64_t weight;
    std::uint32_t key;
  };
  void group_by_key();
  std::span<const Use> uses_of(std::uint32_t key) const;
  std::uint64_t denied_of(const Kernel& kernel, std::uint32_t key, bool stop_at_first) const;
  std::optional<Limit> smallest(Limit limit, std::uint64_t may_touch) const;
  Suggestion evidence(const Limit& limit, std::size_t top) const;

  std::shared_ptr<const Policy> policy_;
  TimeFrame frame_;
  HashSecret secret_;
  Matches matches_;
  BucketIndex index_;
  std::vector<BucketKey> names_;
  std::vector<Use> uses_;
  std::vector<std::size_t> first_use_;  // per key, and one more: where its uses begin once grouped
  std::uint64_t most_units_ = 0;        // of one key
  std::uint64_t keyless_ = 0;
};

}  // namespace weir
