#include <optional>

#include "weir/cli/summary_kinds.h"
#include "weir/sketch/kll.h"
#include "weir/stream/number.h"

namespace weir {
namespace {

/// Every answer within a thousandth of the truth; 2^15 buckets hold 28 decimal orders of magnitude.
constexpr double kAccuracy = 0.001;
constexpr std::size_t kBuckets = std::size_t{1} << 15U;
/// For one of many: within a hundredth.
constexpr double kSmallAccuracy = 0.01;
constexpr std::size_t kSmallBuckets = 2'048;

class QuantilesSummary final : public Summary {
 public:
  QuantilesSummary(const SummaryShape& shape, FieldId field, const std::vector<double>& qs)
      : field_(field),
        qs_(qs),
        sketch_(
            DDSketch::create(shape.small ? kSmallAccuracy : kAccuracy, shape.small ? kSmallBuckets : kBuckets)
                .value()) {
    if (shape.save_as) foreign_.emplace(Kll<double>::create(Kll<double>::kDefaultK, shape.seed).value());
  }

  void add(const Record& record) override {
    const auto text = record.field(field_);
    const auto value = text ? parse_number(*text) : std::nullopt;
    if (!value) return sketch_.add_bad(record.weight);
    for (std::uint64_t i = 0; i < record.weight; ++i) {
      sketch_.add(*value);
      if (foreign_) foreign_->add(*value);
    }
  }
  void write_json(JsonWriter& json) const override { write_quantiles(json, sketch_, qs_); }
  std::vector<TableRow> rows() const override {
    std::vector<TableRow> rows;
    for (const double q : qs_) {
      const auto at = sketch_.quantile(q);
      rows.push_back(
          {.cells = {number_text(q), at ? number_text(at->value) : "no data", at ? number_text(at->low) : "-",
                     at ? number_text(at->high) : "-", number_text(static_cast<double>(sketch_.count())),
                     number_text(static_cast<double>(sketch_.bad()))},
           .bar = at ? std::optional(at->value) : std::nullopt});
    }
    return rows;
  }
  std::vector<std::string> warnings() const override {
    if (!sketch_.has_collapsed()) return {};
    return {"the values spread over so many orders of magnitude that the smallest are answered for together"};
  }
  Result<std::string> save() const override { return sketch_.encode(); }
  Result<std::string> save_as(ForeignForm) const override { return foreign_->to_datasketches(); }

 private:
  FieldId field_;
  std::vector<double> qs_;
  DDSketch sketch_;
  std::optional<Kll<double>> foreign_;
};

class QuantilesKind final : public SummaryKind {
 public:
  QuantilesKind(const SummaryShape& shape, std::string field, std::vector<double> qs)
      : shape_(shape), field_(std::move(field)), qs_(std::move(qs)) {}

  Status check_form(ForeignForm form) const override {
    return form == ForeignForm::redis ? no_such_form("quantiles", form) : Status(Done{});
  }
  Status bind(SummaryReader& reader) override {
    const Result<FieldId> id = reader.want(field_);
    if (!id) return id.error();
    id_ = *id;
    return Done{};
  }
  std::unique_ptr<Summary> make() override { return std::make_unique<QuantilesSummary>(shape_, id_, qs_); }
  SummaryOrigin origin() const override { return {.fields = {field_}}; }
  std::vector<TableColumn> columns() const override {
    return {{"q"}, {"value"}, {"low"}, {"high"}, {"count"}, {"bad"}};
  }

 private:
  SummaryShape shape_;
  std::string field_;
  std::vector<double> qs_;
  FieldId id_{};
};

}  // namespace

std::unique_ptr<SummaryKind> quantiles_kind(const SummaryShape& shape, std::string field,
                                            std::vector<double> qs) {
  return std::make_unique<QuantilesKind>(shape, std::move(field), std::move(qs));
}

void write_quantiles(JsonWriter& json, const DDSketch& sketch, std::span<const double> qs) {
  json.begin_object().key("count").number(sketch.count()).key("bad").number(sketch.bad());
  json.key("min").real(sketch.min()).key("max").real(sketch.max()).key("quantiles").begin_array();
  for (const double q : qs) {
    const auto at = sketch.quantile(q);
    json.begin_object().key("q").real(q);
    json.key("value").real(at ? std::optional(at->value) : std::nullopt);
    json.key("low").real(at ? std::optional(at->low) : std::nullopt);
    json.key("high").real(at ? std::optional(at->high) : std::nullopt).end_object();
  }
  json.end_array().end_object();
}

}  // namespace weir
