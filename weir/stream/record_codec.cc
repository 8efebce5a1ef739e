#include "weir/stream/record_codec.h"

#include <cstring>

#include "weir/base/varint.h"

namespace weir {

void RecordCodec::append(std::string& out, const Record& record) {
  append_varint(out, record.weight * 2 + (record.time ? 1 : 0));
  if (record.time) {
    char time[sizeof(Nanos)];
    std::memcpy(time, &*record.time, sizeof time);
    out.append(time, sizeof time);
  }
  for (const auto& field : record.fields) {
    append_varint(out, field ? field->size() + 1 : 0);
    if (field) out += *field;
  }
}

Record RecordCodec::take(std::string_view& bytes) {
  Record record;
  const std::uint64_t head = take_varint(bytes);
  record.weight = head / 2;
  if (head % 2 == 1) {
    Nanos time = 0;
    std::memcpy(&time, bytes.data(), sizeof time);
    record.time = time;
    bytes.remove_prefix(sizeof time);
  }
  for (auto& field : fields_) {
    const auto length = static_cast<std::size_t>(take_varint(bytes));
    field.reset();
    if (length == 0) continue;
    field = bytes.substr(0, length - 1);
    bytes.remove_prefix(length - 1);
  }
  record.fields = fields_;
  return record;
}

}  // namespace weir
