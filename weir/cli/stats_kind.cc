#include "weir/cli/summary_kinds.h"
#include "weir/stream/number.h"

namespace weir {
namespace {

Error no_form(ForeignForm form) {
  return no_such_form("count, sum and deviation", form);
}

class StatsSummary final : public Summary {
 public:
  explicit StatsSummary(FieldId field) : field_(field) {}

  void add(const Record& record) override {
    const auto text = record.field(field_);
    const auto value = text ? parse_number(*text) : std::nullopt;
    if (!value) return moments_.add_bad(record.weight);
    for (std::uint64_t i = 0; i < record.weight; ++i) moments_.add(*value);
  }
  void write_json(JsonWriter& json) const override { write_moments(json, moments_); }
  std::vector<TableRow> rows() const override {
    const auto count = static_cast<double>(moments_.count());
    return {
        {.cells = {number_text(count), number_text(static_cast<double>(moments_.bad())),
                   number_text(moments_.sum()), number_text(moments_.mean()), number_text(moments_.stddev()),
                   number_text(moments_.min()), number_text(moments_.max())},
         .bar = count}};
  }
  Result<std::string> save() const override { return moments_.encode(); }
  Result<std::string> save_as(ForeignForm form) const override { return no_form(form); }

 private:
  FieldId field_;
  Moments moments_;
};

class StatsKind final : public SummaryKind {
 public:
  explicit StatsKind(std::string field) : field_(std::move(field)) {}

  Status check_form(ForeignForm form) const override { return no_form(form); }
  Status bind(SummaryReader& reader) override {
    const Result<FieldId> id = reader.want(field_);
    if (!id) return id.error();
    id_ = *id;
    return Done{};
  }
  std::unique_ptr<Summary> make() override { return std::make_unique<StatsSummary>(id_); }
  SummaryOrigin origin() const override { return {.fields = {field_}}; }
  std::vector<TableColumn> columns() const override {
    return {{"count"}, {"bad"}, {"sum"}, {"mean"}, {"stddev"}, {"min"}, {"max"}};
  }

 private:
  std::string field_;
  FieldId id_{};
};

}  // namespace

std::unique_ptr<SummaryKind> stats_kind(std::string field) {
  return std::make_unique<StatsKind>(std::move(field));
}

void write_moments(JsonWriter& json, const Moments& moments) {
  json.begin_object().key("count").number(moments.count()).key("bad").number(moments.bad());
  json.key("sum").real(moments.sum()).key("mean").real(moments.mean()).key("stddev").real(moments.stddev());
  json.key("min").real(moments.min()).key("max").real(moments.max()).end_object();
}

}  // namespace weir
