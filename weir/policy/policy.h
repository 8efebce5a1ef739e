// A Policy: a domain and its rules, read from YAML and compiled so that a request costs a few look-ups
// however many rules there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/hash.h"
#include "weir/base/result.h"
#include "weir/policy/request.h"
#include "weir/policy/rule.h"

namespace weir {

class PolicyIndex;

/// One rule that a request meets, and the bucket that it is counted in.
struct Match {
  /// Into Policy::rules(), and into that rule's limits.
  std::uint32_t rule;
  std::uint32_t limit;
  /// The bucket: a hash of the limit's bucket_name and of the values of the key.
  std::uint64_t bucket;
  /// The normalised values of the rule's key, in the key's order; a missing one is empty. Views into Matches.
  std::span<const std::string_view> key;
  /// A dimension of the key is missing and the rule says `on_missing: deny`. `bucket` then has no meaning.
  bool missing;
};

/// What Policy::match finds, and the room it works in. Reuse one per thread: once warm, matching allocates
/// nothing.
class Matches {
 public:
  Matches();
  ~Matches();
  Matches(Matches&&) noexcept;
  Matches& operator=(Matches&&) noexcept;

  /// In the order of the rules. Empty when `unlimited_by` is set.
  std::span<const Match> rules() const { return rules_; }
  /// The rule with `unlimited: true` that the request meets, which lifts every other.
  std::optional<std::uint32_t> unlimited_by() const { return unlimited_by_; }
  /// Rules that would apply but were skipped because a dimension of their key is missing.
  std::span<const std::uint32_t> skipped() const { return skipped_; }

 private:
  friend class Policy;
  friend class PolicyIndex;
  struct Scratch;
  std::vector<Match> rules_;
  std::optional<std::uint32_t> unlimited_by_;
  std::vector<std::uint32_t> skipped_;
  std::unique_ptr<Scratch> scratch_;
};

/// Immutable once loaded; safe to share between threads.
class Policy {
 public:
  /// A file, or a folder whose *.yaml and *.yml are read in the order of their names as one policy.
  /// Errors: `policy.yaml:12:7: rule "chat": unknown field "perod"; did you mean "per"?`
  static Result<Policy> load(const std::filesystem::path& path);
  /// The same from text. `name` stands in errors; tables that `lookup` names are looked for in `folder`.
  static Result<Policy> parse(std::string_view yaml, std::string_view name = "policy.yaml",
                              const std::filesystem::path& folder = ".");

  Policy(Policy&&) noexcept;
  Policy& operator=(Policy&&) noexcept;
  ~Policy();

  const std::string& domain() const;
  Charging charging() const;
  std::span<const Rule> rules() const;
  /// What it was read from: its files, and the tables of its lookups.
  std::span<const std::filesystem::path> files() const { return files_; }

  /// The rules that `request` meets. Values are normalised first, and derived ones looked up.
  void match(const Request& request, const HashSecret& secret, Matches& out) const;

  /// The client's address by `trusted_proxies`: `peer` itself unless it is a trusted proxy; then the
  /// rightmost address of the X-Forwarded-For lines (in order, joined by commas) that is not one (all
  /// trusted: the leftmost; something that is no address ends the walk at the last address before it).
  std::string client_address(std::string_view peer, std::span<const std::string_view> forwarded_for) const;

  /// For what explains a policy; all that matching needs is above.
  const PolicyIndex& index() const { return *index_; }

 private:
  explicit Policy(std::unique_ptr<PolicyIndex> index);
  std::unique_ptr<PolicyIndex> index_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace weir
