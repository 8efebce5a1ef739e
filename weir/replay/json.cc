#include "weir/replay/json.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "weir/base/text.h"

namespace weir {

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  first_ = true;  // no comma between a name and its value
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_json_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::real(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", *value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::seconds(std::optional<Nanos> value) {
  if (!value) return null();
  separate();
  append_seconds(out_, *value);
  return *this;
}

JsonWriter& JsonWriter::instant(std::optional<Nanos> value) {
  return value ? text(format_rfc3339(*value)) : null();
}

JsonWriter& JsonWriter::bucket_key(std::span<const std::string> values) {
  if (values.empty()) return text("");
  if (values.size() == 1) return text(values[0]);
  begin_array();
  for (const std::string& value : values) text(value);
  return end_array();
}

}  // namespace weir
