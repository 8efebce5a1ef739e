#include "weir/stream/where.h"

#include <algorithm>

#include "weir/stream/event_time.h"
#include "weir/stream/number.h"
#include "weir/stream/where_parser.h"

namespace weir {
namespace {

template <class T>
int order_of(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

Result<Where> Where::parse(std::string_view text) {
  return WhereParser(text).parse();
}

Status Where::bind(const Want& want) {
  for (Node& node : nodes_) {
    if (node.field.empty()) continue;
    const Result<FieldId> id = want_field(node, want);
    if (!id) return Error{"--where: column " + std::to_string(node.column) + ": " + id.error().message};
    node.id = *id;
  }
  return Done{};
}

/// The time of a record may stand in a field of another name, and is known without asking for it: the field
/// is only asked for so that a format without times is told from one that has them.
Result<FieldId> Where::want_field(const Node& node, const Want& want) {
  Result<FieldId> id = want(node.field);
  if (!node.value.instant) return id;
  for (const std::string_view name : kTimeFields) {
    if (!id) {
      if (const Result<FieldId> other = want(name)) id = other;
    }
  }
  return id;
}

/// Below, at or above 0 as the field is below, equal to or above the value; nothing where they can't be
/// compared.
std::optional<int> Where::compare(const Node& node, const Record& record) {
  const Value& value = node.value;
  if (value.instant)
    return record.time ? std::optional(order_of(*record.time, *value.instant)) : std::nullopt;
  const auto field = record.field(node.id);
  if (!field) return std::nullopt;
  if (!value.number) return order_of(*field, std::string_view(value.text));
  if (value.whole) {
    if (const auto whole = parse_whole(*field)) return order_of(*whole, *value.whole);
  }
  const auto number = parse_number(*field);
  return number ? std::optional(order_of(*number, *value.number)) : std::nullopt;
}

bool Where::holds(const Node& node, const Record& record) const {
  const auto is_true = [&](std::size_t at) { return holds(nodes_[at], record); };
  switch (node.kind) {
    case Kind::all:
      return std::all_of(node.below.begin(), node.below.end(), is_true);
    case Kind::any:
      return std::any_of(node.below.begin(), node.below.end(), is_true);
    case Kind::negation:
      return !is_true(node.below.front());
    case Kind::matches: {
      const auto field = record.field(node.id);
      return field &&
             re2::RE2::PartialMatch(re2::StringPiece(field->data(), field->size()), *node.expression);
    }
    default:
      break;
  }
  const std::optional<int> order = compare(node, record);
  if (!order) return false;
  switch (node.kind) {
    case Kind::below:
      return *order < 0;
    case Kind::at_most:
      return *order <= 0;
    case Kind::above:
      return *order > 0;
    case Kind::at_least:
      return *order >= 0;
    default:
      return *order == 0;
  }
}

}  // namespace weir
