#include "weir/policy/fields.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/base/time.h"

namespace weir {
namespace {

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "an empty value (null)";
    case YamlNode::Kind::scalar:
      return "a single value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      break;
  }
  return "a map";
}

std::string shown(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return std::string(kind_name(node));
  return node.quoted ? fmt::format("\"{}\"", printable(node.scalar)) : printable(node.scalar);
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "1e3" as 1000, when it is whole and small.
std::optional<std::uint64_t> parse_exponent(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return std::nullopt;
  auto value = parse_uint(text.substr(0, e));
  std::string_view power = text.substr(e + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  const auto zeros = parse_uint(power);
  if (!value || *value >= 1000 || !zeros || *zeros > 15) return std::nullopt;
  for (std::uint64_t i = 0; i < *zeros; ++i) *value *= 10;
  return value;
}

/// What the writer of a number in another spelling most likely meant.
std::optional<std::uint64_t> guess_number(std::string_view text) {
  if (const auto value = parse_hex(text)) return value;
  if (const auto value = parse_exponent(text)) return value;
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == '_' || c == ',' || c == '\''; });
  if (digits.starts_with('+')) digits.erase(0, 1);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  if (digits.ends_with('k') || digits.ends_with('K')) digits.replace(digits.size() - 1, 1, "000");
  if (digits.ends_with('M')) digits.replace(digits.size() - 1, 1, "000000");
  return parse_uint(digits);
}

/// 1 of "1.5"; nothing for what has no fraction.
std::optional<std::uint64_t> whole_part(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.ends_with(".0") || !parse_seconds(text)) return std::nullopt;
  return parse_uint(text.substr(0, point));
}

bool has_plain_spelling(const YamlNode& node) {
  const std::string_view text = node.scalar;
  return !node.quoted && !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text[0] != '0');
}

std::string number_problem(const YamlNode& node, std::uint64_t least) {
  const std::string_view text = node.scalar;
  if (node.kind == YamlNode::Kind::scalar) {
    if (text.starts_with('-')) return fmt::format("{} is negative; the least is {}", shown(node), least);
    if (const auto below = whole_part(text)) {
      return fmt::format("{} is not a whole number; write {} or {}", shown(node), *below, *below + 1);
    }
    if (const auto guess = guess_number(text)) {
      return node.quoted ? fmt::format("{} is a text; write {} without quotes", shown(node), *guess)
                         : fmt::format("{} is not a plain whole number; write {}", shown(node), *guess);
    }
  }
  return fmt::format("a whole number is needed, not {}; write it in decimal digits, such as {}", shown(node),
                     std::max<std::uint64_t>(least, 10));
}

}  // namespace

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known, std::span<const Synonym> synonyms) {
  std::string message = fmt::format("unknown {} \"{}\"", what, printable(word));
  std::vector<std::string_view> candidates(known.begin(), known.end());
  for (const Synonym& synonym : synonyms) candidates.push_back(synonym.word);
  auto guess = std::find(candidates.begin(), candidates.end(), word) != candidates.end()
                   ? std::optional(word)
                   : closest(word, candidates);
  if (!guess) return message + fmt::format("; known are {}", fmt::join(known, ", "));
  for (const Synonym& synonym : synonyms) {
    if (synonym.word == *guess) guess = synonym.meant;
  }
  return message + fmt::format("; did you mean \"{}\"?", *guess);
}

bool check_fields(const YamlNode& node, std::span<const std::string_view> known,
                  std::span<const Synonym> synonyms, const Reporter& report) {
  if (node.kind != YamlNode::Kind::map) {
    report.add(node.place,
               fmt::format("a map with {} is needed, not {}", fmt::join(known, ", "), shown(node)));
    return false;
  }
  bool good = true;
  for (const YamlNode& field : node.children) {
    if (std::find(known.begin(), known.end(), field.key) != known.end()) continue;
    report.add(field.key_place, unknown_word("field", field.key, known, synonyms));
    good = false;
  }
  return good;
}

bool check_fields(const YamlNode& node, std::span<const FieldInfo> known, std::span<const Synonym> synonyms,
                  const Reporter& report) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const FieldInfo& field : known) names.push_back(field.name);
  return check_fields(node, names, synonyms, report);
}

bool check_list(const YamlNode& node, std::string_view example, const Reporter& report) {
  if (node.kind == YamlNode::Kind::list) return true;
  report.add(node.place, fmt::format("a list is needed, not {}; write {}", shown(node), example));
  return false;
}

std::optional<std::uint64_t> read_number(const YamlNode& node, std::uint64_t least, std::uint64_t most,
                                         const Reporter& report) {
  if (node.kind != YamlNode::Kind::scalar || !has_plain_spelling(node)) {
    report.add(node.place, number_problem(node, least));
    return std::nullopt;
  }
  const auto value = parse_uint(node.scalar);
  if (!value || *value > most) {
    report.add(node.place, fmt::format("{} is more than the maximum of {}", printable(node.scalar), most));
    return std::nullopt;
  }
  if (*value < least) {
    report.add(node.place, fmt::format("{} is too small; the least is {}", *value, least));
    return std::nullopt;
  }
  return value;
}

std::optional<bool> read_bool(const YamlNode& node, const Reporter& report) {
  if (node.kind == YamlNode::Kind::scalar && !node.quoted) {
    if (node.scalar == "true") return true;
    if (node.scalar == "false") return false;
  }
  report.add(node.place, fmt::format("true or false is needed, not {}", shown(node)));
  return std::nullopt;
}

std::optional<std::string> read_text(const YamlNode& node, const Reporter& report) {
  if (node.kind != YamlNode::Kind::scalar) {
    report.add(node.place, fmt::format("a text is needed, not {}", shown(node)));
    return std::nullopt;
  }
  if (node.scalar.empty()) {
    report.add(node.place, "the text is empty");
    return std::nullopt;
  }
  return node.scalar;
}

bool check_name(std::string_view name, const Place& place, const Reporter& report) {
  if (name.empty()) {
    report.add(place, "the name is empty");
    return false;
  }
  if (name.size() > kMaxNameBytes) {
    report.add(place, fmt::format("the name has {} bytes; {} is the most", name.size(), kMaxNameBytes));
    return false;
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    report.add(place, fmt::format("the name \"{}\" has control characters", printable(name)));
    return false;
  }
  return true;
}

std::optional<std::string> read_name(const YamlNode& node, const Reporter& report) {
  auto text = read_text(node, report);
  if (!text || !check_name(*text, node.place, report)) return std::nullopt;
  return text;
}

}  // namespace weir
