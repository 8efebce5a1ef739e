#include <algorithm>
#include <cmath>
#include <optional>

#include "weir/base/varint.h"
#include "weir/cli/summary_kinds.h"
#include "weir/sketch/hll.h"
#include "weir/sketch/redis_hll.h"

namespace weir {
namespace {

/// 32 kB: exact up to 3,072 values, then a standard error of 0.42 %.
constexpr unsigned kPrecision = 15;
/// For one of many, 2 kB: exact up to 192, then 1.7 %.
constexpr unsigned kSmallPrecision = 11;
/// For DataSketches: a standard error of 0.65 %.
constexpr unsigned kForeignLgK = 14;

class DistinctSummary final : public Summary {
 public:
  DistinctSummary(const SummaryShape& shape, std::vector<FieldId> fields)
      : fields_(std::move(fields)),
        sketch_(UltraLogLog::create(shape.small ? kSmallPrecision : kPrecision, shape.seed).value()) {
    if (shape.save_as == ForeignForm::datasketches)
      hll_.emplace(Hll::create(kForeignLgK, HllForm::hll8).value());
    if (shape.save_as == ForeignForm::redis) redis_.emplace();
  }

  void add(const Record& record) override {
    const auto key = key_of(record);
    if (!key) return;
    records_ += record.weight;
    sketch_.add(*key);
    if (hll_) hll_->add(*key);
    if (redis_) redis_->add(*key);
  }
  void write_json(JsonWriter& json) const override { write_distinct(json, sketch_, records_); }
  std::vector<TableRow> rows() const override {
    const Estimate estimate = whole_estimate(sketch_, records_);
    return {{.cells = {number_text(estimate.value), number_text(estimate.low), number_text(estimate.high),
                       number_text(static_cast<double>(records_))},
             .bar = estimate.value}};
  }
  Result<std::string> save() const override { return sketch_.encode(); }
  Result<std::string> save_as(ForeignForm form) const override {
    return form == ForeignForm::redis ? redis_->hyll() : hll_->to_datasketches();
  }

 private:
  /// Parts are length-delimited, so that ("a", "b_c") and ("a_b", "c") are two.
  std::optional<std::string_view> key_of(const Record& record) {
    if (fields_.size() == 1) return record.field(fields_.front());
    key_.clear();
    for (const FieldId field : fields_) {
      const auto part = record.field(field);
      if (!part) return std::nullopt;
      append_varint(key_, part->size());
      key_ += *part;
    }
    return key_;
  }

  std::vector<FieldId> fields_;
  UltraLogLog sketch_;
  std::uint64_t records_ = 0;
  std::string key_;
  std::optional<Hll> hll_;
  std::optional<RedisHll> redis_;
};

class DistinctKind final : public SummaryKind {
 public:
  DistinctKind(const SummaryShape& shape, std::vector<std::string> fields)
      : shape_(shape), fields_(std::move(fields)) {}

  Status bind(SummaryReader& reader) override {
    if (fields_.size() > 1 && shape_.save_as) {
      return Error{"--save-as: other systems have no name for values of several fields; count one field"};
    }
    for (std::string& field : fields_) {
      const Result<std::string> name = field_or_natural(reader, field);
      if (!name) return name.error();
      field = *name;
      const Result<FieldId> id = reader.want(*name);
      if (!id) return id.error();
      ids_.push_back(*id);
    }
    return Done{};
  }
  std::unique_ptr<Summary> make() override { return std::make_unique<DistinctSummary>(shape_, ids_); }
  SummaryOrigin origin() const override { return {.fields = fields_}; }
  std::vector<TableColumn> columns() const override { return {{"estimate"}, {"low"}, {"high"}, {"records"}}; }

 private:
  SummaryShape shape_;
  std::vector<std::string> fields_;
  std::vector<FieldId> ids_;
};

}  // namespace

std::unique_ptr<SummaryKind> distinct_kind(const SummaryShape& shape, std::vector<std::string> fields) {
  return std::make_unique<DistinctKind>(shape, std::move(fields));
}

Estimate whole_estimate(const UltraLogLog& sketch, std::uint64_t records) {
  const Estimate estimate = sketch.order_free_estimate();
  const auto most = static_cast<double>(records);
  return {.value = std::min(std::round(estimate.value), most),
          .low = std::min(std::floor(estimate.low), most),
          .high = std::min(std::ceil(estimate.high), most),
          .confidence = estimate.confidence};
}

void write_distinct(JsonWriter& json, const UltraLogLog& sketch, std::uint64_t records) {
  const Estimate estimate = whole_estimate(sketch, records);
  json.begin_object().key("estimate").real(estimate.value).key("low").real(estimate.low);
  json.key("high").real(estimate.high).key("confidence").real(estimate.confidence);
  json.key("method").text(sketch.is_exact() ? "exact" : "ultraloglog");
  json.key("records").number(records).end_object();
}

}  // namespace weir
