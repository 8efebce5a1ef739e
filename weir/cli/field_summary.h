// All about one field: a part of `weir summarize`.
#pragma once

#include <cstdint>
#include <string>

#include "weir/replay/json.h"
#include "weir/sketch/ddsketch.h"
#include "weir/sketch/frequent_items.h"
#include "weir/sketch/moments.h"
#include "weir/sketch/seed.h"
#include "weir/sketch/ultra_log_log.h"
#include "weir/stream/record.h"

namespace weir {

class FieldSummary {
 public:
  FieldSummary(std::string name, FieldId id, Seed seed);

  void add(const Record& record);

  /// Records that have the field.
  std::uint64_t records() const { return records_; }
  void write_json(JsonWriter& json) const;
  std::string text() const;

 private:
  bool is_numeric() const;
  std::string numbers_text() const;
  std::string top_text() const;

  std::string name_;
  FieldId id_;
  std::uint64_t records_ = 0;
  UltraLogLog distinct_;
  FrequentTexts top_;
  Moments moments_;
  DDSketch quantiles_;
};

}  // namespace weir
