// How Apache DataSketches writes the items of its samples.
#pragma once

#include <cstdint>
#include <string>

#include "weir/sketch/bytes.h"

namespace weir {

/// Numbers as they stand in memory (ArrayOfLongsSerDe, serde<int64_t>), texts as 32 bits of length and UTF-8
/// (ArrayOfStringsSerDe, serde<std::string>). The image does not say which: the reader must know.
template <class T>
struct DataSketchesItems;

template <FixedWidth T>
struct DataSketchesItems<T> {
  static constexpr std::size_t kLeastBytes = sizeof(T);
  static void write(ByteWriter& out, T value) { out.put<T>(value); }
  static T read(ByteReader& in) { return in.get<T>("an item"); }
};

template <>
struct DataSketchesItems<std::string> {
  static constexpr std::size_t kLeastBytes = 4;
  static void write(ByteWriter& out, const std::string& value) {
    out.put<std::uint32_t>(static_cast<std::uint32_t>(value.size()));
    out.put_bytes(value);
  }
  static std::string read(ByteReader& in) {
    const auto length = in.get<std::uint32_t>("the length of an item");
    return std::string(in.take(length, "an item"));
  }
};

/// The first eight bytes of a sample: the longs of the head and how arrays grow, version, family, flags, k.
struct DataSketchesHead {
  static constexpr std::uint8_t kEmpty = 4;

  std::uint8_t longs = 0;
  /// lg of the factor by which arrays grow; said, and of no meaning to a reader.
  std::uint8_t growth = 3;
  std::uint8_t family = 0;
  std::uint8_t flags = 0;
  std::uint32_t k = 0;

  void write(ByteWriter& out) const;
  /// Checks the version, the family, that k lies in [1, 2^31 - 2], and that no flags but `known` are set.
  static DataSketchesHead read(ByteReader& in, std::uint8_t family, std::uint8_t known);
};

}  // namespace weir
