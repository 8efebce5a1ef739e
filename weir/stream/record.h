// One record of a stream: its fields, its time, its weight.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "weir/base/time.h"

namespace weir {

/// Names a field that a LogStream was asked for: see LogStream::want.
enum class FieldId : std::uint32_t {};

/// Views into the stream's own memory, valid until the stream moves on.
struct Record {
  /// The whole record without its line end; every byte as it was read.
  std::string_view line;
  /// By FieldId; nothing where this record has no such field. Empty is a value.
  std::span<const std::optional<std::string_view>> fields;
  /// Event time; nothing when the format has none.
  std::optional<Nanos> time;
  /// How many events this record stands for: n after "message repeated n times", else 1.
  std::uint64_t weight = 1;

  std::optional<std::string_view> field(FieldId id) const { return fields[static_cast<std::uint32_t>(id)]; }
};

}  // namespace weir
