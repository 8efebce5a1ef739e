// A policy made ready to match: what is behind Policy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/hash.h"
#include "weir/policy/dimensions.h"
#include "weir/policy/lookup.h"
#include "weir/policy/match_index.h"
#include "weir/policy/policy.h"
#include "weir/policy/prefix_table.h"
#include "weir/policy/rule_reader.h"

namespace weir {

struct Matches::Scratch {
  RequestValues request;
  /// Which dimensions the request gave, even if with nothing left in them; all false between requests.
  std::vector<bool> given;
  std::vector<std::uint32_t> given_list;
  FoldScratch fold;
  MatchScratch match;
  std::vector<std::uint32_t> matched;
  KeyBytes key_bytes;
  std::vector<std::string_view> key_values;
};

class PolicyIndex {
 public:
  struct Settings {
    std::string domain;
    Charging charging = Charging::all_or_nothing;
    Dimensions dimensions;
    std::vector<Lookup> lookups;
    std::optional<PrefixTable> trusted_proxies;
  };
  PolicyIndex(Settings settings, std::vector<ParsedRule> rules);

  const std::string& domain() const { return settings_.domain; }
  Charging charging() const { return settings_.charging; }
  std::span<const Rule> rules() const { return rules_; }
  const Dimensions& dimensions() const { return settings_.dimensions; }
  const std::vector<Lookup>& lookups() const { return settings_.lookups; }
  const Conditions& conditions(std::uint32_t rule) const { return matcher_.conditions(rule); }
  bool is_unlimited(std::uint32_t rule) const { return guides_[rule].unlimited; }
  bool trusts(const Address& address) const {
    return settings_.trusted_proxies && settings_.trusted_proxies->contains(address);
  }

  void match(const Request& request, const HashSecret& secret, Matches& out) const;

  /// The normal form of what the request gives, and what is derived from that.
  void resolve(const Request& request, Matches::Scratch& scratch) const;
  static Matches::Scratch& scratch_of(Matches& matches) { return *matches.scratch_; }

 private:
  /// What match() needs of a rule beside the rule itself.
  struct Guide {
    bool unlimited = false;
    std::vector<std::uint32_t> key;
    /// Overrides, the most specific first, and the limit that each gives.
    MatchIndex overrides;
    std::vector<std::uint32_t> limit_of_override;
  };

  static Guide make_guide(ParsedRule& parsed, std::size_t dimensions);
  std::uint32_t choose_limit(const Guide& guide, Matches::Scratch& scratch) const;
  void add_match(std::uint32_t rule, const HashSecret& secret, Matches& out) const;
  static void show_keys(const std::vector<Rule>& rules, Matches& out);

  Settings settings_;
  std::vector<Rule> rules_;
  std::vector<Guide> guides_;
  MatchIndex matcher_;
};

}  // namespace weir
