#include <algorithm>
#include <optional>

#include "weir/base/text.h"
#include "weir/cli/summary_kinds.h"
#include "weir/sketch/datasketches_reservoir.h"
#include "weir/sketch/uniform_sample.h"
#include "weir/sketch/var_opt_sample.h"
#include "weir/sketch/weighted_sample.h"
#include "weir/stream/number.h"

namespace weir {
namespace {

/// A record, and how many came before it in all groups together.
struct KeptLine {
  std::string line;
  std::uint64_t order = 0;
};

/// In a file it is its line.
struct KeptLineCodec {
  static constexpr std::size_t kLeastBytes = SampleCodec<std::string>::kLeastBytes;
  static void write(ByteWriter& out, const KeptLine& kept) { out.put_text(kept.line); }
};

template <class Items>
std::vector<TableRow> rows_of(const Items& items) {
  std::vector<TableRow> rows;
  rows.reserve(items.size());
  for (const auto& item : items) rows.push_back({.cells = {item.value.line}, .order = item.value.order});
  return rows;
}

template <class Items>
void write_lines(JsonWriter& json, const Items& items) {
  json.begin_array();
  for (const auto& item : items) json.text(item.value.line);
  json.end_array();
}

class UniformSummary final : public Summary {
 public:
  UniformSummary(const SummaryShape& shape, FieldId line, std::size_t k, std::uint64_t stream,
                 std::uint64_t& records)
      : line_(line), records_(records), sample_(k, shape.seed, stream) {}

  void add(const Record& record) override {
    const std::uint64_t order = records_++;
    if (sample_.next_wanted() != sample_.seen()) {
      sample_.skip(1);
    } else {
      sample_.add({std::string(record.field(line_).value_or(std::string_view())), order});
    }
  }
  void write_json(JsonWriter& json) const override { write_lines(json, sample_.in_order()); }
  std::vector<TableRow> rows() const override { return rows_of(sample_.in_order()); }
  Result<std::string> save() const override { return sample_.encode<KeptLineCodec>(); }
  Result<std::string> save_as(ForeignForm) const override {
    std::vector<std::string> lines;
    for (const auto& item : sample_.items()) lines.push_back(item.value.line);
    return write_datasketches(UniformSample<std::string>::adopt(sample_.capacity(), sample_.seed(), 0,
                                                                sample_.seen(), std::move(lines)));
  }

 private:
  FieldId line_;
  std::uint64_t& records_;
  UniformSample<KeptLine> sample_;
};

class WeightedSummary final : public Summary {
 public:
  WeightedSummary(const SummaryShape& shape, FieldId line, FieldId weight, std::size_t k,
                  std::uint64_t stream, std::uint64_t& records)
      : line_(line), weight_(weight), records_(records), sample_(k, shape.seed, stream) {
    if (shape.save_as) foreign_.emplace(static_cast<std::uint32_t>(k), shape.seed, stream);
  }

  void add(const Record& record) override {
    const std::uint64_t order = records_++;
    const auto text = record.field(weight_);
    const double weight = (text ? parse_number(*text) : std::nullopt).value_or(0);
    std::string line(record.field(line_).value_or(std::string_view()));
    if (foreign_) foreign_->add(line, weight);
    sample_.add({std::move(line), order}, weight);
  }
  void write_json(JsonWriter& json) const override { write_lines(json, sample_.in_order()); }
  std::vector<TableRow> rows() const override { return rows_of(sample_.in_order()); }
  std::vector<std::string> warnings() const override {
    if (sample_.bad() == 0) return {};
    return {with_thousands(sample_.bad()) +
            " records have no number above 0 as their weight, and are left out"};
  }
  Result<std::string> save() const override { return sample_.encode<KeptLineCodec>(); }
  Result<std::string> save_as(ForeignForm) const override { return foreign_->write_datasketches(); }

 private:
  FieldId line_;
  FieldId weight_;
  std::uint64_t& records_;
  WeightedSample<KeptLine> sample_;
  std::optional<VarOptSample<std::string>> foreign_;
};

class SampleKind final : public SummaryKind {
 public:
  SampleKind(const SummaryShape& shape, std::size_t k, std::optional<std::string> weight)
      : shape_(shape), k_(k), weight_(std::move(weight)) {}

  Status check_form(ForeignForm form) const override {
    const bool fits = k_ > 0 && k_ <= VarOptSample<std::string>::kMostCapacity;
    return form == ForeignForm::datasketches && fits ? Status(Done{}) : no_such_form("this sample", form);
  }
  Status bind(SummaryReader& reader) override {
    const Result<FieldId> line = reader.want("line");
    if (!line) return line.error();
    line_ = *line;
    return want_if(reader, "--weight", weight_, weight_id_);
  }
  std::unique_ptr<Summary> make() override {
    // Groups and windows draw apart from each other.
    const std::uint64_t stream = made_++;
    if (weight_id_)
      return std::make_unique<WeightedSummary>(shape_, line_, *weight_id_, k_, stream, records_);
    return std::make_unique<UniformSummary>(shape_, line_, k_, stream, records_);
  }
  std::vector<TableColumn> columns() const override { return {{"line", false}}; }
  bool prints_lines() const override { return true; }

 private:
  SummaryShape shape_;
  std::size_t k_;
  std::optional<std::string> weight_;
  FieldId line_{};
  std::optional<FieldId> weight_id_;
  std::uint64_t made_ = 0;
  std::uint64_t records_ = 0;
};

}  // namespace

std::unique_ptr<SummaryKind> sample_kind(const SummaryShape& shape, std::size_t k,
                                         std::optional<std::string> weight) {
  return std::make_unique<SampleKind>(shape, k, std::move(weight));
}

}  // namespace weir
