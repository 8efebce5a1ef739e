#include <algorithm>
#include <optional>

#include "weir/base/text.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

/// About 25,000 values are counted exactly; beyond, the error is at most a ten-thousandth of all.
constexpr unsigned kLgCells = 15;
/// For one of many: 768 values, then 0.4 %.
constexpr unsigned kSmallLgCells = 10;

class TopSummary final : public Summary {
 public:
  TopSummary(const SummaryShape& shape, FieldId field, std::optional<FieldId> weight, std::size_t k)
      : field_(field),
        weight_(weight),
        k_(k),
        items_(FrequentTexts::create(shape.small ? kSmallLgCells : kLgCells, shape.seed).value()) {}

  void add(const Record& record) override {
    const auto value = record.field(field_);
    if (!value) return;
    if (!weight_) return items_.add(*value, record.weight);
    const auto text = record.field(*weight_);
    const auto weight = text ? parse_uint(*text) : std::nullopt;
    if (!weight) {
      bad_ += record.weight;
      return;
    }
    for (std::uint64_t i = 0; i < record.weight; ++i) items_.add(*value, *weight);
  }
  void write_json(JsonWriter& json) const override { write_top(json, items_.top(k_)); }
  std::vector<TableRow> rows() const override { return top_rows(items_.top(k_)); }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> out;
    if (bad_ > 0)
      out.push_back(with_thousands(bad_) + " records have no whole number as their weight, and are left out");
    if (items_.is_saturated())
      out.emplace_back("the weights add up to 2^63 or more, and counts stand still there");
    if (is_doubtful()) out.push_back(doubt());
    return out;
  }
  Result<std::string> save() const override { return items_.encode(); }
  Result<std::string> save_as(ForeignForm) const override { return items_.to_datasketches(); }

 private:
  /// Whether a value that is missing may weigh more than one that is listed.
  bool is_doubtful() const {
    if (items_.max_error() == 0 || k_ == 0) return false;
    const auto listed = items_.top(k_);
    return listed.size() < k_ || std::any_of(listed.begin(), listed.end(), [&](const auto& item) {
             return item.lower < items_.max_error();
           });
  }
  std::string doubt() const {
    return "more different values came than the " +
           with_thousands((std::uint64_t{3} << items_.lg_cells()) / 4) +
           " that are counted at once: a count may be " + with_thousands(items_.max_error()) +
           " too high, and only values above that are sure to be listed";
  }

  FieldId field_;
  std::optional<FieldId> weight_;
  std::size_t k_;
  FrequentTexts items_;
  std::uint64_t bad_ = 0;
};

class TopKind final : public SummaryKind {
 public:
  TopKind(const SummaryShape& shape, std::string field, std::optional<std::string> weight, std::size_t k)
      : shape_(shape), field_(std::move(field)), weight_(std::move(weight)), k_(k) {}

  Status check_form(ForeignForm form) const override {
    return form == ForeignForm::redis ? no_such_form("the heaviest values", form) : Status(Done{});
  }
  Status bind(SummaryReader& reader) override {
    const Result<std::string> name = field_or_natural(reader, field_);
    if (!name) return name.error();
    field_ = *name;
    const Result<FieldId> id = reader.want(field_);
    if (!id) return id.error();
    id_ = *id;
    return want_if(reader, "--weight", weight_, weight_id_);
  }
  std::unique_ptr<Summary> make() override {
    return std::make_unique<TopSummary>(shape_, id_, weight_id_, k_);
  }
  SummaryOrigin origin() const override { return {.fields = {field_}, .weight = weight_}; }
  std::vector<TableColumn> columns() const override {
    return {{"count"}, {"error"}, {field_.empty() ? "value" : printable(field_), false}};
  }

 private:
  SummaryShape shape_;
  std::string field_;
  std::optional<std::string> weight_;
  std::size_t k_;
  FieldId id_{};
  std::optional<FieldId> weight_id_;
};

}  // namespace

std::unique_ptr<SummaryKind> top_kind(const SummaryShape& shape, std::string field,
                                      std::optional<std::string> weight, std::size_t k) {
  return std::make_unique<TopKind>(shape, std::move(field), std::move(weight), k);
}

Result<std::string> field_or_natural(const SummaryReader& reader, const std::string& field) {
  if (!field.empty()) return field;
  if (reader.format() == "lines") return std::string("line");
  for (const std::string& name : reader.fields()) {
    if (name == "ip") return name;
  }
  return Error{"name a field of the format " + std::string(reader.format()) + ", or line for whole records"};
}

void write_top(JsonWriter& json, const std::vector<FrequentTexts::Item>& items) {
  json.begin_array();
  for (const FrequentTexts::Item& item : items) {
    json.begin_object().key("value").text(item.key).key("count").number(item.upper);
    json.key("error").number(item.upper - item.lower).end_object();
  }
  json.end_array();
}

std::vector<TableRow> top_rows(const std::vector<FrequentTexts::Item>& items) {
  std::vector<TableRow> rows;
  for (const FrequentTexts::Item& item : items) {
    const auto upper = static_cast<double>(item.upper);
    rows.push_back({.cells = {number_text(upper), number_text(static_cast<double>(item.upper - item.lower)),
                              printable(item.key)},
                    .bar = upper});
  }
  return rows;
}

Error no_such_form(std::string_view what, ForeignForm form) {
  return Error{"--save-as " + std::string(form == ForeignForm::redis ? "redis" : "datasketches") +
               ": it has no form for " + std::string(what)};
}

}  // namespace weir
