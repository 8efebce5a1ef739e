#include "weir/cli/division.h"

#include <algorithm>
#include <utility>

#include "weir/base/text.h"

namespace weir {
namespace {

void write_group(JsonWriter& json, const Groups<Summary>::Group& group) {
  json.key("records").number(group.records).key("summary");
  group.summary->write_json(json);
}

void append_rows(std::vector<TableRow>& out, const std::string& name, const Summary& summary) {
  for (TableRow& row : summary.rows()) {
    row.cells.insert(row.cells.begin(), name);
    out.push_back(std::move(row));
  }
}

}  // namespace

Division::Division(SummaryKind& kind, std::optional<FieldId> by, std::size_t max_groups)
    : by_(by), groups_(max_groups, [&kind] { return kind.make(); }) {
  if (!by_) one_ = kind.make();
}

void Division::add(const Record& record) {
  Summary& summary = by_ ? groups_.of(record.field(*by_).value_or(std::string_view()), record.weight) : *one_;
  summary.add(record);
}

/// Calls it for every summary.
template <class Visit>
void Division::visit(Visit visit) const {
  if (one_) visit(*one_);
  for (const auto& [name, group] : groups_.sorted()) visit(*group->summary);
  if (groups_.other() != nullptr) visit(*groups_.other()->summary);
}

void Division::write_json(JsonWriter& json) const {
  json.key("groups").begin_array();
  for (const auto& [name, group] : groups_.sorted()) {
    json.begin_object().key("group").text(name);
    write_group(json, *group);
    json.end_object();
  }
  json.end_array().key("other");
  if (groups_.other() == nullptr) {
    json.null();
    return;
  }
  json.begin_object();
  write_group(json, *groups_.other());
  json.end_object();
}

std::vector<TableRow> Division::rows() const {
  if (one_) return one_->rows();
  std::vector<TableRow> rows;
  for (const auto& [name, group] : groups_.sorted()) {
    append_rows(rows, name.empty() ? "(none)" : printable(name), *group->summary);
  }
  if (groups_.other() != nullptr) append_rows(rows, "(other)", *groups_.other()->summary);
  return rows;
}

std::vector<KeptLine> Division::lines() const {
  std::vector<KeptLine> lines;
  visit([&](const Summary& summary) {
    const std::vector<KeptLine> more = summary.lines();
    lines.insert(lines.end(), more.begin(), more.end());
  });
  sort_lines(lines);
  return lines;
}

void Division::warn(Warnings& out) const {
  visit([&](const Summary& summary) {
    for (std::string& warning : summary.warnings()) out.add(std::move(warning));
  });
}

}  // namespace weir
