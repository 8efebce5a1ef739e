#include "weir/cli/rate_report.h"

#include <utility>

namespace weir {
namespace {

/// 192 values of a window are counted exactly; beyond, the error is at most 1.4 % of its records.
constexpr unsigned kLgCells = 8;
constexpr std::size_t kNamed = 3;

}  // namespace

RateReport::RateReport(WindowOptions options, std::size_t fields, std::optional<FieldId> by, Window window)
    : by_(by),
      window_(std::move(window)),
      windows_(
          options, fields, [this](const Record& record) { take(record); },
          [this](Nanos begin) { close(begin); }) {}

void RateReport::take(const Record& record) {
  count_ += record.weight;
  if (!by_) return;
  if (!who_) who_.emplace(FrequentTexts::create(kLgCells).value());
  if (const auto value = record.field(*by_)) who_->add(*value, record.weight);
}

void RateReport::close(Nanos begin) {
  if (!peak_ || count_ > peak_->count) {
    peak_ = RatePeak{begin, count_};
    if (who_) peak_->who = who_->top(kNamed);
  }
  if (!first_) first_ = begin;
  last_ = begin;
  records_ += count_;
  window_(begin, count_);
  count_ = 0;
  who_.reset();
}

double RateReport::per_window() const {
  if (!first_) return 0;
  const double windows =
      (static_cast<double>(last_) - static_cast<double>(*first_)) / static_cast<double>(windows_.every()) + 1;
  return static_cast<double>(records_) / windows;
}

}  // namespace weir
