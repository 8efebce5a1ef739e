// One summary for each value of a field, as many as there is room for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir {

/// The first `most` values that come have a summary each, all later ones share one.
template <class S>
class Groups {
 public:
  struct Group {
    std::unique_ptr<S> summary;
    std::uint64_t records = 0;
  };
  using Make = std::function<std::unique_ptr<S>()>;

  Groups(std::size_t most, Make make) : most_(most), make_(std::move(make)) {}

  /// The summary that a record of this group goes to, `records` of it.
  S& of(std::string_view name, std::uint64_t records) {
    Group& group = find(name);
    if (!group.summary) group.summary = make_();
    group.records += records;
    return *group.summary;
  }

  /// Those with most records first, equal ones by the bytes of their names.
  std::vector<std::pair<std::string_view, const Group*>> sorted() const {
    std::vector<std::pair<std::string_view, const Group*>> all;
    for (const auto& [name, group] : groups_) all.emplace_back(name, &group);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      if (a.second->records != b.second->records) return a.second->records > b.second->records;
      return a.first < b.first;
    });
    return all;
  }
  /// What found no room; nullptr when all did.
  const Group* other() const { return other_.summary ? &other_ : nullptr; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };

  Group& find(std::string_view name) {
    if (const auto known = groups_.find(name); known != groups_.end()) return known->second;
    return groups_.size() < most_ ? groups_[std::string(name)] : other_;
  }

  std::size_t most_;
  Make make_;
  std::unordered_map<std::string, Group, Hash, std::equal_to<>> groups_;
  Group other_;
};

}  // namespace weir
