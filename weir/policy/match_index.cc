#include "weir/policy/match_index.h"

#include <algorithm>
#include <unordered_map>

namespace weir {
namespace {

// Up to here trying atoms one by one is as fast as looking them up.
constexpr std::size_t kSmallList = 8;

/// How many matches have an atom on a dimension, by its identity.
class Popularity {
 public:
  Popularity(const std::vector<Conditions>& matches, std::size_t dimensions) : counts_(dimensions) {
    for (const Conditions& match : matches) {
      for (const Condition& condition : match) {
        for (const Atom& atom : condition.any_of) ++counts_[condition.dimension][atom.identity()];
      }
    }
  }

  /// About how often a condition leads to matches that are not fulfilled: the lower, the better a pivot.
  double cost(const Condition& condition) const {
    double sum = 0;
    for (const Atom& atom : condition.any_of) {
      const auto sharers = static_cast<double>(counts_[condition.dimension].at(atom.identity()));
      sum += sharers * breadth(atom);
    }
    return sum / static_cast<double>(condition.any_of.size());
  }

 private:
  /// A guess at how many values an atom matches, against a text, which matches one.
  static double breadth(const Atom& atom) {
    if (std::holds_alternative<std::string>(atom.is)) return 1;
    if (const auto* prefix = std::get_if<Prefix>(&atom.is)) {
      const double fixed = static_cast<double>(prefix->length) / width(prefix->first.v4);
      return 1 + 8 * (1 - fixed);
    }
    const std::size_t fixed = std::get<Pattern>(atom.is).literal_bytes();
    return fixed == 0 ? 1e6 : 2 + 64 / static_cast<double>(fixed);
  }

  std::vector<std::unordered_map<std::string, std::size_t>> counts_;
};

}  // namespace

MatchIndex::MatchIndex(std::vector<Conditions> matches, std::size_t dimensions)
    : matches_(std::move(matches)) {
  choose_pivots(dimensions);
}

void MatchIndex::choose_pivots(std::size_t dimensions) {
  const Popularity popularity(matches_, dimensions);
  std::vector<std::vector<AtomIndex::Entry>> entries(dimensions);
  for (std::uint32_t match = 0; match < matches_.size(); ++match) {
    first_check_.push_back(static_cast<std::uint32_t>(checks_.size()));
    const Conditions& conditions = matches_[match];
    if (conditions.empty()) {
      unconditional_.push_back(match);
      continue;
    }
    const auto pivot = std::min_element(
        conditions.begin(), conditions.end(),
        [&](const auto& a, const auto& b) { return popularity.cost(a) < popularity.cost(b); });
    for (const Atom& atom : pivot->any_of) entries[pivot->dimension].push_back({&atom, match});
    for (const Condition& condition : conditions) {
      if (&condition != &*pivot) add_check(condition);
    }
  }
  first_check_.push_back(static_cast<std::uint32_t>(checks_.size()));
  index_of_dimension_.resize(dimensions);
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    if (entries[dimension].empty()) continue;
    index_of_dimension_[dimension] = static_cast<std::uint32_t>(pivots_.size());
    pivots_.emplace_back(entries[dimension]);
  }
}

void MatchIndex::add_check(const Condition& condition) {
  Check check{&condition, std::nullopt};
  if (condition.any_of.size() > kSmallList) {
    std::vector<AtomIndex::Entry> entries;
    for (const Atom& atom : condition.any_of) entries.push_back({&atom, 0});
    check.large = static_cast<std::uint32_t>(large_.size());
    large_.emplace_back(entries);
  }
  checks_.push_back(check);
}

bool MatchIndex::holds(const Check& check, const RequestValues& request, FinderScratch& scratch) const {
  const Value& value = request.values[check.condition->dimension];
  if (value.text.empty()) return false;
  if (check.large) {
    bool any = false;
    large_[*check.large].find(value, scratch, [&](std::uint32_t) { any = true; });
    return any;
  }
  const auto& atoms = check.condition->any_of;
  return std::any_of(atoms.begin(), atoms.end(), [&](const Atom& atom) { return atom.matches(value); });
}

bool MatchIndex::fulfils(std::uint32_t match, const RequestValues& request, FinderScratch& scratch) const {
  for (std::uint32_t i = first_check_[match]; i != first_check_[match + 1]; ++i) {
    if (!holds(checks_[i], request, scratch)) return false;
  }
  return true;
}

std::span<const std::uint32_t> MatchIndex::find(const RequestValues& request, MatchScratch& scratch) const {
  auto& candidates = scratch.candidates;
  candidates.assign(unconditional_.begin(), unconditional_.end());
  for (const std::uint32_t dimension : request.present) {
    if (dimension >= index_of_dimension_.size() || !index_of_dimension_[dimension]) continue;
    pivots_[*index_of_dimension_[dimension]].find(request.values[dimension], scratch.finder,
                                                  [&](std::uint32_t match) { candidates.push_back(match); });
  }
  std::sort(candidates.begin(), candidates.end());
  // A list may have led to one match more than once.
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::erase_if(candidates, [&](std::uint32_t match) { return !fulfils(match, request, scratch.finder); });
  return candidates;
}

std::optional<std::uint32_t> MatchIndex::first(const RequestValues& request, MatchScratch& scratch) const {
  const auto all = find(request, scratch);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

}  // namespace weir
