// Writes JSON, one value after another, with the commas where they belong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "weir/base/time.h"

namespace weir {

class JsonWriter {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  /// The shortest decimal that reads back as the same double; null for nothing, and for what is not finite.
  JsonWriter& real(std::optional<double> value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  /// Seconds as a number with up to nine decimals; null for nothing.
  JsonWriter& seconds(std::optional<Nanos> value);
  /// An instant as RFC 3339; null for nothing.
  JsonWriter& instant(std::optional<Nanos> value);
  /// The values that name a bucket: "" for none, a string for one, an array for several.
  JsonWriter& bucket_key(std::span<const std::string> values);

 private:
  void separate();
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);

  std::string& out_;
  bool first_ = true;
};

}  // namespace weir
