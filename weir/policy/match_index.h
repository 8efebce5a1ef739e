// Which of many matches a request fulfils. The same for the rules of a policy and the overrides of a rule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weir/policy/atom_index.h"
#include "weir/policy/condition.h"

namespace weir {

/// The values of a request by the number of their dimension; those that it lacks are empty.
struct RequestValues {
  std::vector<Value> values;
  /// The dimensions that have a value.
  std::vector<std::uint32_t> present;
};

struct MatchScratch {
  FinderScratch finder;
  std::vector<std::uint32_t> candidates;
};

/// A match with several conditions is found by the one that the fewest other matches share, its pivot; the
/// others are then checked. What a request does not nearly fulfil is never looked at.
class MatchIndex {
 public:
  MatchIndex() = default;
  /// Match i is matches[i]; one without conditions is fulfilled by every request.
  MatchIndex(std::vector<Conditions> matches, std::size_t dimensions);

  std::size_t size() const { return matches_.size(); }
  const Conditions& conditions(std::size_t match) const { return matches_[match]; }

  /// All matches that are fulfilled, ascending. The span lives in `scratch`.
  std::span<const std::uint32_t> find(const RequestValues& request, MatchScratch& scratch) const;
  /// The first of them.
  std::optional<std::uint32_t> first(const RequestValues& request, MatchScratch& scratch) const;

 private:
  /// A condition to check once the pivot has matched.
  struct Check {
    const Condition* condition;
    /// Into `large_`, if it has too many atoms to be tried one by one.
    std::optional<std::uint32_t> large;
  };

  void choose_pivots(std::size_t dimensions);
  void add_check(const Condition& condition);
  bool holds(const Check& check, const RequestValues& request, FinderScratch& scratch) const;
  bool fulfils(std::uint32_t match, const RequestValues& request, FinderScratch& scratch) const;

  std::vector<Conditions> matches_;
  std::vector<std::uint32_t> unconditional_;
  /// For each dimension the index of the pivots on it, if there are any.
  std::vector<std::optional<std::uint32_t>> index_of_dimension_;
  std::vector<AtomIndex> pivots_;
  /// The checks of match i: checks_[first_check_[i]..first_check_[i + 1]).
  std::vector<Check> checks_;
  std::vector<std::uint32_t> first_check_;
  std::vector<AtomIndex> large_;
};

}  // namespace weir
