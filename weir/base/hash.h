// The hash of keys: XXH3 under a secret, so that who chooses the keys can't choose where they fall.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// A secret of XXH3's own size. A seed alone would not do: XXH3 has inputs that collide for chosen seeds.
class HashSecret {
 public:
  /// From the system's source of randomness; for everything that strangers can send keys to.
  static HashSecret random();
  /// The same for the same seed, on every machine; for replays, tests and files.
  static HashSecret fixed(std::uint64_t seed);

  /// 64 bits of `bytes`.
  std::uint64_t hash(std::string_view bytes) const;

 private:
  std::array<unsigned char, 192> secret_{};
};

/// What the command line hashes and draws under, so that the same input always prints the same output.
inline constexpr std::uint64_t kCommandLineSeed = 0x77656972;  // "weir"

/// Writes parts so that no two lists of parts give the same bytes: each with its length before it.
/// ("a", "b_c") and ("a_b", "c") stay two keys.
class KeyBytes {
 public:
  void clear() { bytes_.clear(); }
  void append(std::string_view part);
  void append(std::uint64_t number);
  std::string_view view() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace weir
