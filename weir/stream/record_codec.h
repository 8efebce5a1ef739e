// Records as bytes, while they wait for another thread or for their turn by time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/stream/record.h"

namespace weir {

/// Keeps the wanted fields, the time and the weight of a record. What stands in Record::line is kept only
/// where "line" is one of the fields.
///
///   record = varint(2 * weight + has_time) [time, 8 bytes] { varint(0) | varint(1 + length) bytes }*
class RecordCodec {
 public:
  explicit RecordCodec(std::size_t fields) : fields_(fields) {}

  /// REQUIRES: as many fields as the codec has.
  static void append(std::string& out, const Record& record);

  /// Takes one record from the front of `bytes`, which append() wrote. It views them, and this codec until
  /// the next call.
  Record take(std::string_view& bytes);

 private:
  std::vector<std::optional<std::string_view>> fields_;
};

}  // namespace weir
