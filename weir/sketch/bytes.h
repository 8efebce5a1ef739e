// Bytes in and out, little-endian, with every length checked before it is used. What summaries are written in
// and read from, Weir's own form and those of other systems.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "weir/base/result.h"

namespace weir {

template <class T>
concept FixedWidth = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

namespace bytes_detail {

template <FixedWidth T>
T load(const char* from) {
  T value{};
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, from, sizeof value);
  } else {
    char turned[sizeof value];
    for (std::size_t i = 0; i < sizeof value; ++i) turned[i] = from[sizeof value - 1 - i];
    std::memcpy(&value, turned, sizeof value);
  }
  return value;
}

template <FixedWidth T>
void store(T value, char* to) {
  std::memcpy(to, &value, sizeof value);
  if constexpr (std::endian::native != std::endian::little) {
    for (std::size_t i = 0; i < sizeof value / 2; ++i) std::swap(to[i], to[sizeof value - 1 - i]);
  }
}

}  // namespace bytes_detail

/// Appends to a string.
class ByteWriter {
 public:
  /// A number as it stands in memory, little-endian: put<std::uint32_t>(n). The type is always named.
  template <FixedWidth T>
  void put(std::type_identity_t<T> value) {
    char bytes[sizeof(T)];
    bytes_detail::store<T>(value, bytes);
    bytes_.append(bytes, sizeof bytes);
  }
  template <FixedWidth T>
  void put_array(std::span<const T> values) {
    if constexpr (std::endian::native == std::endian::little) {
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    } else {
      for (const T value : values) put<T>(value);
    }
  }
  void put_varint(std::uint64_t value);
  /// A length as a varint, then the bytes.
  void put_text(std::string_view text);
  /// The bytes alone.
  void put_bytes(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  std::string take();

 private:
  std::string bytes_;
};

/// Reads hostile bytes. The first thing that is wrong is kept as the error, and from there on every read
/// gives zero or nothing, so that a decoder may read a whole head before it asks ok(). It must ask before it
/// uses what it read as a size. The bytes must outlive it.
class ByteReader {
 public:
  /// `what` begins every error: "Count-Min sketch".
  ByteReader(std::string_view bytes, std::string_view what) : all_(bytes), rest_(bytes), what_(what) {}

  /// `field` names what is read: "the width".
  template <FixedWidth T>
  T get(std::string_view field) {
    const std::string_view bytes = take(sizeof(T), field);
    return ok() ? bytes_detail::load<T>(bytes.data()) : T{};
  }
  /// A variable-length integer in its shortest form, of at most 64 bits.
  std::uint64_t get_varint(std::string_view field);
  /// A varint that counts things of which each takes at least `least_bytes` of what is left: a count that
  /// can't be true is an error here, before anything is allocated for it. REQUIRES: least_bytes > 0.
  std::uint64_t get_count(std::size_t least_bytes, std::string_view field);
  /// What ByteWriter::put_text wrote.
  std::string_view get_text(std::string_view field);
  /// The next `count` bytes.
  std::string_view take(std::uint64_t count, std::string_view field);
  /// The next `count` numbers; nothing is allocated unless they are there.
  template <FixedWidth T>
  std::vector<T> get_array(std::uint64_t count, std::string_view field) {
    if (!fits(count, sizeof(T), field)) return {};
    const std::string_view bytes = take(count * sizeof(T), field);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = bytes_detail::load<T>(bytes.data() + i * sizeof(T));
    }
    return values;
  }

  /// Whether `count` things of `bytes_each` are left; an error where not. Can't overflow.
  bool fits(std::uint64_t count, std::size_t bytes_each, std::string_view field);
  /// Notes an error unless `holds`. `sentence` goes on after the name: "the width is 0; it must be at least
  /// 1".
  bool require(bool holds, std::string_view sentence);
  void fail(std::string_view sentence);

  bool ok() const { return error_.empty(); }
  std::size_t left() const { return rest_.size(); }
  std::size_t position() const { return all_.size() - rest_.size(); }
  /// The first error, or one about bytes that are left over.
  Status finish();
  /// REQUIRES: !ok().
  Error error() const { return Error{error_}; }

 private:
  std::string_view all_;
  std::string_view rest_;
  std::string_view what_;
  std::string error_;
};

}  // namespace weir
