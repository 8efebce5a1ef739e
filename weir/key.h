// Keys and costs: whose bucket, and how much of it.
//
//   chat.check("mira");                          // a string; any byte is legal, any length
//   chat.check(player_id);                       // a whole number
//   chat.check({"guild", guild_id, "chat"});     // several parts, kept apart by their lengths
//   chat.check("mira", weir::Cost{3});           // 3 units of mira's bucket
//
// ("a", "b_c") and ("a_b", "c") are two keys, and so are 42 and "42". Without any part, as Key{}, it is the
// empty string, "". A Cost is spelled out, so that chat.check(5) can only be the bucket of key 5.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weir {

template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

/// Units that a request takes; 0 asks and takes nothing.
class Cost {
 public:
  /// Throws std::invalid_argument when negative.
  template <WholeNumber T>
  explicit constexpr Cost(T units) : units_(static_cast<std::uint64_t>(units)) {
    if (units < T{0})
      throw std::invalid_argument("weir: a cost can't be negative; use refund() to give back");
  }
  constexpr std::uint64_t units() const { return units_; }

 private:
  std::uint64_t units_;
};

/// A string or a whole number. A view: what it was made of must outlive it.
class KeyPart {
 public:
  KeyPart(std::string_view text) : text_(text) {}    // NOLINT(google-explicit-constructor)
  KeyPart(const char* text) : text_(text) {}         // NOLINT(google-explicit-constructor)
  KeyPart(const std::string& text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  template <WholeNumber T>
  KeyPart(T number)  // NOLINT(google-explicit-constructor)
      : number_(static_cast<std::uint64_t>(number)), kind_(number < T{0} ? Kind::negative : Kind::number) {}

  enum class Kind : std::uint8_t { text, number, negative };
  Kind kind() const { return kind_; }
  std::string_view text() const { return text_; }
  /// A negative number has its two's complement here.
  std::uint64_t number() const { return number_; }

 private:
  std::string_view text_;
  std::uint64_t number_ = 0;
  Kind kind_ = Kind::text;
};

/// One part or several. A view: make it where you use it.
class Key {
 public:
  template <class T>
  requires std::constructible_from<KeyPart, const T&> Key(const T& part)
      : single_(part) {}  // NOLINT(google-explicit-constructor)
  Key(std::initializer_list<KeyPart> parts) : Key(std::span<const KeyPart>(parts.begin(), parts.size())) {}
  /// For parts that are not known when you write the program. A list of one is that one, and of none "".
  explicit Key(std::span<const KeyPart> parts)
      : single_(parts.size() == 1 ? parts[0] : KeyPart(std::string_view())), parts_(parts) {}

  bool is_single() const { return parts_.size() <= 1; }
  const KeyPart& single() const { return single_; }
  std::span<const KeyPart> parts() const { return parts_; }

 private:
  KeyPart single_;
  std::span<const KeyPart> parts_;
};

}  // namespace weir
