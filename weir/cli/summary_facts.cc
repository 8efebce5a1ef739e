#include <fmt/format.h>

#include <array>
#include <cmath>

#include "weir/base/text.h"
#include "weir/cli/summary_file.h"
#include "weir/cli/summary_kinds.h"

namespace weir {
namespace {

constexpr std::size_t kNamed = 20;
constexpr std::array kShownQuantiles{0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0};

/// What a summary knows, one name and value after another, in JSON and for people at once.
class Facts {
 public:
  explicit Facts(JsonWriter& json) : json_(json) {}

  void number(std::string_view name, std::uint64_t value) {
    json_.key(name).number(value);
    line(name, with_thousands(value));
  }
  void real(std::string_view name, std::optional<double> value) {
    json_.key(name).real(value);
    line(name, value ? number_text(*value) : "no data");
  }
  void word(std::string_view name, std::string_view value) {
    json_.key(name).text(value);
    line(name, std::string(value));
  }
  /// What the summary is of; null where the file does not say.
  void origin(const std::optional<SummaryOrigin>& origin) {
    json_.key("fields");
    if (origin) {
      json_.begin_array();
      for (const std::string& field : origin->fields) json_.text(field);
      json_.end_array();
      line("of", text_of(*origin));
    } else {
      json_.null();
    }
    json_.key("weight");
    origin && origin->weight ? json_.text(*origin->weight) : json_.null();
  }
  void yes(std::string_view name, bool value) {
    json_.key(name).boolean(value);
    line(name, value ? "yes" : "no");
  }
  void estimate(const Estimate& estimate) {
    real("estimate", std::round(estimate.value));
    real("low", std::floor(estimate.low));
    real("high", std::ceil(estimate.high));
    real("confidence", estimate.confidence);
  }
  /// `write` puts them into the JSON, `rows` are for people.
  template <class Write>
  void list(std::string_view name, Table table, const std::vector<TableRow>& rows, Write write) {
    json_.key(name);
    write(json_);
    text_ += '\n' + table.print(rows);
  }

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view name, const std::string& value) {
    text_ += fmt::format("{:<16} {}\n", name, value);
  }

  JsonWriter& json_;
  std::string text_;
};

template <class S>
void tell_quantiles(Facts& facts, const S& sketch) {
  facts.number("count", sketch.count());
  facts.number("bad", sketch.bad());
  facts.real("min", sketch.min());
  facts.real("max", sketch.max());
  std::vector<TableRow> rows;
  for (const double q : kShownQuantiles) {
    if (const auto at = sketch.quantile(q)) {
      rows.push_back(
          {.cells = {number_text(q), number_text(at->value), number_text(at->low), number_text(at->high)}});
    }
  }
  facts.list("quantiles", Table({{"q"}, {"value"}, {"low"}, {"high"}}, terminal_width()), rows,
             [&](JsonWriter& json) {
               json.begin_array();
               for (const double q : kShownQuantiles) {
                 const auto at = sketch.quantile(q);
                 if (!at) continue;
                 json.begin_object().key("q").real(q).key("value").real(at->value).key("low").real(at->low);
                 json.key("high").real(at->high).end_object();
               }
               json.end_array();
             });
}

std::string text_of_key(const std::string& key) {
  return key;
}
std::string text_of_key(std::uint64_t key) {
  return std::to_string(static_cast<std::int64_t>(key));
}
std::string text_of_key(std::int64_t key) {
  return std::to_string(key);
}

template <class Keys>
void tell(Facts& facts, const FrequentItems<Keys>& items) {
  facts.number("total", items.total_weight());
  facts.number("max_error", items.max_error());
  // What weighs more is never missing; what weighs less may be.
  facts.number("guaranteed_above", items.max_error());
  facts.yes("saturated", items.is_saturated());
  std::vector<FrequentTexts::Item> top;
  for (const auto& item : items.top(kNamed)) top.push_back({text_of_key(item.key), item.lower, item.upper});
  facts.list("top", Table({{"count"}, {"error"}, {"value", false}}, terminal_width()), top_rows(top),
             [&](JsonWriter& json) { write_top(json, top); });
}

template <class Sample>
void tell_sample(Facts& facts, const Sample& sample, const std::vector<std::string>& values) {
  facts.number("capacity", sample.capacity());
  facts.number("records", sample.seen());
  std::vector<TableRow> rows;
  rows.reserve(values.size());
  for (const std::string& value : values) rows.push_back({.cells = {printable(value, 200)}});
  facts.list("sample", Table({{"sample", false}}, std::nullopt), rows, [&](JsonWriter& json) {
    json.begin_array();
    for (const std::string& value : values) json.text(value);
    json.end_array();
  });
}

template <class Sample>
std::vector<std::string> values_in_order(const Sample& sample) {
  std::vector<std::string> values;
  for (const auto& item : sample.in_order()) values.push_back(text_of_key(item.value));
  return values;
}

template <class T>
void tell(Facts& facts, const UniformSample<T>& sample) {
  tell_sample(facts, sample, values_in_order(sample));
}
void tell(Facts& facts, const WeightedSample<std::string>& sample) {
  facts.number("bad", sample.bad());
  tell_sample(facts, sample, values_in_order(sample));
}
void tell(Facts& facts, const DecayedSample<std::string>& sample) {
  facts.number("bad", sample.bad());
  facts.word("half_life", format_duration(sample.half_life()));
  tell_sample(facts, sample, values_in_order(sample));
}
template <class T>
void tell(Facts& facts, const VarOptSample<T>& sample) {
  facts.number("bad", sample.bad());
  facts.real("total", sample.total());
  std::vector<std::string> values;
  for (const auto& item : sample.items()) values.push_back(text_of_key(*item.value));
  tell_sample(facts, sample, values);
}

void tell(Facts& facts, const BlockBloom& filter) {
  facts.number("bytes", filter.bytes());
  facts.number("capacity", filter.capacity());
  facts.estimate(filter.count());
  facts.real("fill", filter.fill());
  facts.real("error_rate", filter.error_rate());
  facts.yes("over_capacity", filter.over_capacity());
}
void tell(Facts& facts, const ScalableBloom& filter) {
  facts.number("bytes", filter.bytes());
  facts.number("layers", filter.layers());
  facts.number("items", filter.items());
  facts.number("capacity", filter.capacity());
  facts.real("fill", filter.fill());
  facts.real("error_rate", filter.error_rate());
}
void tell(Facts& facts, const CuckooFilter& filter) {
  facts.number("bytes", filter.bytes());
  facts.number("tables", filter.tables());
  facts.number("items", filter.items());
  facts.real("fill", filter.fill());
  facts.real("error_rate", filter.error_rate());
}
template <class Cell>
void tell(Facts& facts, const BasicCountMin<Cell>& sketch) {
  facts.number("width", sketch.width());
  facts.number("depth", sketch.depth());
  facts.number("total", sketch.total());
  facts.yes("saturated", sketch.saturated());
}
void tell(Facts& facts, const DataSketchesBloom& filter) {
  facts.number("bits", filter.bits());
  facts.number("hashes", filter.hashes());
  facts.real("fill", filter.fill());
  facts.real("error_rate", filter.error_rate());
}

void tell(Facts& facts, const UltraLogLog& sketch) {
  facts.estimate(sketch.order_free_estimate());
  facts.word("method", sketch.is_exact() ? "exact" : "ultraloglog");
  facts.number("precision", sketch.precision());
}
void tell(Facts& facts, const Hll& sketch) {
  facts.estimate(sketch.estimate());
  facts.word("method", sketch.form() == HllForm::hll4   ? "HLL_4"
                       : sketch.form() == HllForm::hll6 ? "HLL_6"
                                                        : "HLL_8");
  facts.number("lg_k", sketch.lg_k());
}
void tell(Facts& facts, const RedisHll& sketch) {
  facts.estimate(sketch.estimate());
  facts.word("method", sketch.is_dense() ? "HYLL dense" : "HYLL sparse");
}
void tell(Facts& facts, const ThetaSet& set) {
  facts.estimate(set.estimate());
  facts.word("method", set.is_exact() ? "exact" : "theta");
  facts.number("hashes", set.hashes().size());
  facts.real("theta", set.theta());
}

template <class Real>
void tell(Facts& facts, const Kll<Real>& sketch) {
  facts.number("k", sketch.k());
  facts.real("rank_error", sketch.is_exact() ? 0 : sketch.rank_error());
  tell_quantiles(facts, sketch);
}
void tell(Facts& facts, const DDSketch& sketch) {
  facts.real("accuracy", sketch.relative_accuracy());
  tell_quantiles(facts, sketch);
}
void tell(Facts& facts, const TDigest& digest) {
  facts.number("k", digest.k());
  tell_quantiles(facts, digest);
}
void tell(Facts& facts, const Moments& moments) {
  facts.number("count", moments.count());
  facts.number("bad", moments.bad());
  facts.real("sum", moments.sum());
  facts.real("mean", moments.mean());
  facts.real("stddev", moments.stddev());
  facts.real("min", moments.min());
  facts.real("max", moments.max());
}

void tell_all(Facts& facts, const SavedSummary& saved) {
  facts.word("kind", saved.kind());
  facts.word("form", saved.form() == SummaryForm::weir    ? "weir"
                     : saved.form() == SummaryForm::redis ? "redis"
                                                          : "datasketches");
  facts.origin(saved.origin());
  std::visit([&](const auto& summary) { tell(facts, summary); }, saved.summary());
}

}  // namespace

void write_summary_facts(JsonWriter& json, const SavedSummary& saved) {
  json.begin_object();
  Facts facts(json);
  tell_all(facts, saved);
  json.end_object();
}

std::string summary_facts_text(const SavedSummary& saved) {
  std::string unused;
  JsonWriter json(unused);
  Facts facts(json);
  tell_all(facts, saved);
  return facts.text();
}

}  // namespace weir
