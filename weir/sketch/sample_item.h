// What the samples hold, and how an item is written and read.
#pragma once

#include <cstdint>
#include <string>

#include "weir/sketch/bytes.h"

namespace weir {

/// A record that was kept.
template <class T>
struct Sampled {
  /// How many good records came before it: the order of a sample by position is that of the input.
  std::uint64_t position = 0;
  T value{};
};

/// How a sample writes and reads its values. Specialise it for a type of your own, or hand any type with the
/// same three members to encode and decode.
template <class T>
struct SampleCodec;

template <FixedWidth T>
struct SampleCodec<T> {
  /// The fewest bytes that a value takes; more than 0.
  static constexpr std::size_t kLeastBytes = sizeof(T);
  static void write(ByteWriter& out, T value) { out.put<T>(value); }
  static T read(ByteReader& in) { return in.get<T>("a value"); }
};

template <>
struct SampleCodec<std::string> {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(ByteWriter& out, const std::string& value) { out.put_text(value); }
  static std::string read(ByteReader& in) { return std::string(in.get_text("a value")); }
};

}  // namespace weir
