// What a window, or the whole of a log, is divided into: one summary, or one for each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/cli/summary.h"
#include "weir/cli/warnings.h"
#include "weir/stream/groups.h"

namespace weir {

class Division {
 public:
  /// `by` is the field whose values are the groups; nothing: there are none.
  Division(SummaryKind& kind, std::optional<FieldId> by, std::size_t max_groups);

  void add(const Record& record);

  /// The only one; nullptr where there are groups.
  const Summary* one() const { return one_.get(); }
  /// Records of the groups that found no room.
  std::uint64_t other_records() const { return groups_.other() != nullptr ? groups_.other()->records : 0; }

  /// The keys "groups" and "other" of an object, or a summary.
  void write_json(JsonWriter& json) const;
  /// With the name of the group before them.
  std::vector<TableRow> rows() const;
  /// Of kinds that print lines: of all groups, in the order of the input. They live as long as this.
  std::vector<KeptLine> lines() const;
  void warn(Warnings& out) const;

 private:
  template <class Visit>
  void visit(Visit visit) const;

  std::optional<FieldId> by_;
  std::unique_ptr<Summary> one_;
  Groups<Summary> groups_;
};

}  // namespace weir
