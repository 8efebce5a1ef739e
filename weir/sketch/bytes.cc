#include "weir/sketch/bytes.h"

#include <utility>

#include "weir/base/varint.h"

namespace weir {

void ByteWriter::put_varint(std::uint64_t value) {
  append_varint(bytes_, value);
}

void ByteWriter::put_text(std::string_view text) {
  put_varint(text.size());
  bytes_ += text;
}

std::string ByteWriter::take() {
  return std::move(bytes_);
}

void ByteReader::fail(std::string_view sentence) {
  if (!ok()) return;
  error_.append(what_).append(": ").append(sentence);
  rest_ = {};
}

bool ByteReader::require(bool holds, std::string_view sentence) {
  if (!holds) fail(sentence);
  return ok();
}

bool ByteReader::fits(std::uint64_t count, std::size_t bytes_each, std::string_view field) {
  if (!ok()) return false;
  if (count <= rest_.size() / bytes_each) return true;
  fail(std::string(field) + " cut off at byte " + std::to_string(position()) + ": " + std::to_string(count) +
       " times " + std::to_string(bytes_each) + " bytes are needed, " + std::to_string(rest_.size()) +
       " are left");
  return false;
}

std::string_view ByteReader::take(std::uint64_t count, std::string_view field) {
  if (!ok()) return {};
  if (count > rest_.size()) {
    fail(std::string(field) + " cut off at byte " + std::to_string(position()) + ": " +
         std::to_string(count) + " bytes are needed, " + std::to_string(rest_.size()) + " are left");
    return {};
  }
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::uint64_t ByteReader::get_varint(std::string_view field) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::string_view byte = take(1, field);
    if (!ok()) return 0;
    const auto bits = static_cast<unsigned char>(byte.front());
    const std::uint64_t part = bits & 0x7FU;
    if (shift == 63 && part > 1) break;
    value |= part << shift;
    if (bits < 0x80) {
      if (bits == 0 && shift > 0) break;  // a byte that adds nothing: not the shortest form
      return value;
    }
  }
  fail(std::string(field) + " is no number of 64 bits in its shortest form, before byte " +
       std::to_string(position()));
  return 0;
}

std::uint64_t ByteReader::get_count(std::size_t least_bytes, std::string_view field) {
  const std::uint64_t count = get_varint(field);
  return fits(count, least_bytes, field) ? count : 0;
}

std::string_view ByteReader::get_text(std::string_view field) {
  return take(get_varint(field), field);
}

Status ByteReader::finish() {
  if (ok() && !rest_.empty()) {
    fail(std::to_string(rest_.size()) + " bytes too many at byte " + std::to_string(position()));
  }
  if (!ok()) return error();
  return Done{};
}

}  // namespace weir
