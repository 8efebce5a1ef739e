// Reading single fields of a policy file: the right kind of value in the right range, or a problem that says
// what was meant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "weir/policy/problems.h"
#include "weir/policy/reference.h"
#include "weir/policy/yaml.h"

namespace weir {

/// A word that people use, and the name that it has here.
struct Synonym {
  std::string_view word;
  std::string_view meant;
};

/// The longest name of a domain, rule or dimension, in bytes.
inline constexpr std::size_t kMaxNameBytes = 255;

/// `unknown field "perod"; did you mean "per"?`, or, where nothing is close, all that there is.
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known, std::span<const Synonym> synonyms = {});

/// Whether `node` is a map with no other fields than `known`.
bool check_fields(const YamlNode& node, std::span<const std::string_view> known,
                  std::span<const Synonym> synonyms, const Reporter& report);
inline bool check_fields(const YamlNode& node, std::initializer_list<std::string_view> known,
                         std::span<const Synonym> synonyms, const Reporter& report) {
  return check_fields(node, std::span(known.begin(), known.size()), synonyms, report);
}

bool check_fields(const YamlNode& node, std::span<const FieldInfo> known, std::span<const Synonym> synonyms,
                  const Reporter& report);

/// Whether `node` is a list; `example` shows one.
bool check_list(const YamlNode& node, std::string_view example, const Reporter& report);

/// A whole decimal number in its plain spelling.
std::optional<std::uint64_t> read_number(const YamlNode& node, std::uint64_t least, std::uint64_t most,
                                         const Reporter& report);
std::optional<bool> read_bool(const YamlNode& node, const Reporter& report);
/// A text with at least one byte; numbers and the like count as their spelling.
std::optional<std::string> read_text(const YamlNode& node, const Reporter& report);
/// Whether a domain, rule or dimension may be called that: not empty, not too long, no control characters.
bool check_name(std::string_view name, const Place& place, const Reporter& report);
/// A text fit for a name: not too long, no control characters.
std::optional<std::string> read_name(const YamlNode& node, const Reporter& report);

/// One of a few words.
template <class T, std::size_t N>
std::optional<T> read_choice(const YamlNode& node, const std::pair<std::string_view, T> (&choices)[N],
                             const Reporter& report) {
  const auto word = read_text(node, report);
  if (!word) return std::nullopt;
  std::string_view names[N];
  for (std::size_t i = 0; i < N; ++i) {
    if (choices[i].first == *word) return choices[i].second;
    names[i] = choices[i].first;
  }
  report.add(node.place, unknown_word("value", *word, names));
  return std::nullopt;
}

}  // namespace weir
