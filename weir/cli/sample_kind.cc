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
struct SampledLine {
  std::string line;
  std::uint64_t order = 0;
};

/// In a file it is its line.
struct SampledLineCodec {
  static void write(ByteWriter& out, const SampledLine& kept) { out.put_text(kept.line); }
};

/// Views, as lines may be long.
template <class Items>
std::vector<KeptLine> views_of(const Items& items) {
  std::vector<KeptLine> lines;
  lines.reserve(items.size());
  for (const auto& item : items) lines.push_back({item.value.line, item.value.order});
  return lines;
}

void write_lines(JsonWriter& json, std::vector<KeptLine> lines) {
  sort_lines(lines);
  json.begin_array();
  for (const KeptLine& kept : lines) json.text(kept.line);
  json.end_array();
}

/// Makes the draws come from the first records too, and not from the seed alone: runs over different logs
/// then draw apart, as samples that are to be merged must, and the same log still gives the same sample.
template <class Sample>
void stir(Sample& sample, const SeededHash& hash, std::string_view line) {
  constexpr std::uint64_t kLeastRecords = 256;
  if (sample.seen() < std::max<std::uint64_t>(sample.capacity(), kLeastRecords)) sample.stir(hash(line));
}

class UniformSummary final : public Summary {
 public:
  UniformSummary(FieldId line, UniformSample<SampledLine> empty, const SeededHash& hash,
                 std::uint64_t& records)
      : line_(line), hash_(hash), records_(records), sample_(std::move(empty)) {}

  void add(const Record& record) override {
    const std::uint64_t order = records_++;
    const std::string_view line = record.field(line_).value_or(std::string_view());
    stir(sample_, hash_, line);
    if (sample_.next_wanted() != sample_.seen()) {
      sample_.skip(1);
    } else {
      sample_.add({std::string(line), order});
    }
  }
  void write_json(JsonWriter& json) const override { write_lines(json, lines()); }
  std::vector<KeptLine> lines() const override { return views_of(sample_.items()); }
  Result<std::string> save() const override { return sample_.encode<SampledLineCodec>(); }
  Result<std::string> save_as(ForeignForm) const override {
    std::vector<std::string> lines;
    for (const auto& item : sample_.items()) lines.push_back(item.value.line);
    return write_datasketches(UniformSample<std::string>::adopt(sample_.capacity(), sample_.seed(), 0,
                                                                sample_.seen(), std::move(lines)));
  }

 private:
  FieldId line_;
  const SeededHash& hash_;
  std::uint64_t& records_;
  UniformSample<SampledLine> sample_;
};

class WeightedSummary final : public Summary {
 public:
  WeightedSummary(FieldId line, FieldId weight, WeightedSample<SampledLine> empty,
                  std::optional<VarOptSample<std::string>> foreign, const SeededHash& hash,
                  std::uint64_t& records)
      : line_(line),
        weight_(weight),
        hash_(hash),
        records_(records),
        sample_(std::move(empty)),
        foreign_(std::move(foreign)) {}

  void add(const Record& record) override {
    const std::uint64_t order = records_++;
    const auto text = record.field(weight_);
    const double weight = (text ? parse_number(*text) : std::nullopt).value_or(0);
    std::string line(record.field(line_).value_or(std::string_view()));
    stir(sample_, hash_, line);
    if (foreign_) {
      stir(*foreign_, hash_, line);
      foreign_->add(line, weight);
    }
    sample_.add({std::move(line), order}, weight);
  }
  void write_json(JsonWriter& json) const override { write_lines(json, lines()); }
  std::vector<KeptLine> lines() const override { return views_of(sample_.items()); }
  std::vector<std::string> warnings() const override {
    if (sample_.bad() == 0) return {};
    return {with_thousands(sample_.bad()) +
            " records have no number above 0 as their weight, and are left out"};
  }
  Result<std::string> save() const override { return sample_.encode<SampledLineCodec>(); }
  Result<std::string> save_as(ForeignForm) const override { return foreign_->write_datasketches(); }

 private:
  FieldId line_;
  FieldId weight_;
  const SeededHash& hash_;
  std::uint64_t& records_;
  WeightedSample<SampledLine> sample_;
  std::optional<VarOptSample<std::string>> foreign_;
};

class SampleKind final : public SummaryKind {
 public:
  SampleKind(const SummaryShape& shape, std::size_t k, std::optional<std::string> weight)
      : shape_(shape), k_(k), weight_(std::move(weight)), hash_(shape.seed) {}

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
    if (!weight_id_) {
      UniformSample<SampledLine> empty(k_, shape_.seed, stream);
      return std::make_unique<UniformSummary>(line_, std::move(empty), hash_, records_);
    }
    std::optional<VarOptSample<std::string>> foreign;
    if (shape_.save_as) foreign.emplace(static_cast<std::uint32_t>(k_), shape_.seed, stream);
    return std::make_unique<WeightedSummary>(line_, *weight_id_,
                                             WeightedSample<SampledLine>(k_, shape_.seed, stream),
                                             std::move(foreign), hash_, records_);
  }
  SummaryOrigin origin() const override { return {.weight = weight_}; }
  std::vector<TableColumn> columns() const override { return {{"line", false}}; }
  bool prints_lines() const override { return true; }

 private:
  SummaryShape shape_;
  std::size_t k_;
  std::optional<std::string> weight_;
  SeededHash hash_;
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
