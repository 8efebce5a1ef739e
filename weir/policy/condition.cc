#include "weir/policy/condition.h"

#include <unordered_map>

#include <fmt/format.h>

#include "weir/base/hash.h"
#include "weir/base/text.h"
#include "weir/policy/fields.h"

namespace weir {
namespace {

// Stands for a gap while the literals around it are brought to their normal form. A private-use character,
// which no normal form changes; a pattern that has it itself is refused.
constexpr std::string_view kGap = "\uE000";

std::vector<std::string> split_at_gaps(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t gap = text.find(kGap); gap != std::string_view::npos; gap = text.find(kGap)) {
    parts.emplace_back(text.substr(0, gap));
    text.remove_prefix(gap + kGap.size());
  }
  parts.emplace_back(text);
  return parts;
}

std::string join_with_gaps(const std::vector<std::string>& literals) {
  return fmt::format("{}", fmt::join(literals, kGap));
}

/// Brings the literals of a pattern to the normal form that values have.
std::optional<Pattern> normal_pattern(const YamlNode& node, const Pattern& written,
                                      const Normalizer& normalizer, const Reporter& report) {
  if (written.text().find(kGap) != std::string::npos) {
    report.add(node.place, "the character U+E000 can't stand in a pattern");
    return std::nullopt;
  }
  if (normalizer.is_address()) {
    report.add(node.place,
               fmt::format("addresses match by prefix, such as 192.0.2.0/24, not by a pattern such as \"{}\"",
                           node.scalar));
    return std::nullopt;
  }
  std::vector<std::string> literals =
      split_at_gaps(normalizer.apply(join_with_gaps(written.literals())).text);
  if (literals.size() != written.literals().size()) {
    report.add(
        node.place,
        fmt::format(
            "\"{}\" can't match: values of this dimension are normalised, and that removes a part of the "
            "pattern (queries are dropped, /../ is resolved)",
            written.text()));
    return std::nullopt;
  }
  return Pattern(written.kind(), std::move(literals));
}

std::optional<Atom> exact_atom(const YamlNode& node, const Normalizer& normalizer, const Reporter& report) {
  const auto text = read_text(node, report);
  if (!text) return std::nullopt;
  std::string normal = normalizer.apply(*text).text;
  if (normal.empty()) {
    report.add(node.place,
               "nothing is left of this value once it is normalised, and an empty value is a missing one");
    return std::nullopt;
  }
  return Atom{std::move(normal)};
}

std::optional<Atom> address_atom(const YamlNode& node, const Reporter& report) {
  const auto text = read_text(node, report);
  if (!text) return std::nullopt;
  const PrefixReading reading = parse_prefix(*text);
  if (reading.prefix) return Atom{*reading.prefix};
  report.add(node.place,
             fmt::format("\"{}\" is no address or prefix; {}", *text,
                         reading.hint.empty()
                             ? "write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32 ({exact: …} for other texts)"
                             : reading.hint));
  return std::nullopt;
}

/// {exact: "a*b"} or {template: "/verify/{code}"}
std::optional<Atom> tagged_atom(const YamlNode& node, const Normalizer& normalizer, const Reporter& report) {
  if (!check_fields(node, {"exact", "template"}, {}, report)) return std::nullopt;
  if (node.children.size() != 1) {
    report.add(node.place, "exactly one of exact and template is needed");
    return std::nullopt;
  }
  const YamlNode& value = node.children[0];
  if (value.key == "exact") return exact_atom(value, normalizer, report);
  const auto text = read_text(value, report);
  if (!text) return std::nullopt;
  auto written = Pattern::path_template(*text);
  if (!written) {
    report.add(value.place, written.error().message);
    return std::nullopt;
  }
  if (text->find('*') != std::string::npos) {
    report.add(
        value.place,
        "a template has no stars; write {name} for one segment or less, or a pattern without template");
    return std::nullopt;
  }
  auto pattern = normal_pattern(value, *written, normalizer, report);
  return pattern ? std::optional(Atom{std::move(*pattern)}) : std::nullopt;
}

std::optional<Atom> read_atom(const YamlNode& node, const Normalizer& normalizer, const Reporter& report) {
  if (node.kind == YamlNode::Kind::map) return tagged_atom(node, normalizer, report);
  const auto text = read_text(node, report);
  if (!text) return std::nullopt;
  if (text->find('*') == std::string::npos) {
    return normalizer.is_address() ? address_atom(node, report) : exact_atom(node, normalizer, report);
  }
  // A star alone asks for nothing but a value, which an address is too.
  const Pattern written = Pattern::wildcard(*text);
  if (written.literal_bytes() == 0) return Atom{written};
  auto pattern = normal_pattern(node, written, normalizer, report);
  return pattern ? std::optional(Atom{std::move(*pattern)}) : std::nullopt;
}

}  // namespace

bool Atom::matches(const Value& value) const {
  if (const auto* text = std::get_if<std::string>(&is)) return value.text == *text;
  if (const auto* prefix = std::get_if<Prefix>(&is)) return value.address && prefix->contains(*value.address);
  return std::get<Pattern>(is).matches(value.text);
}

std::string Atom::identity() const {
  KeyBytes bytes;
  if (const auto* exact = std::get_if<std::string>(&is)) {
    bytes.append("exact");
    bytes.append(*exact);
  } else if (std::holds_alternative<Prefix>(is)) {
    bytes.append("prefix");
    bytes.append(text());
  } else {
    const Pattern& pattern = std::get<Pattern>(is);
    bytes.append(pattern.kind() == Pattern::Kind::wildcard ? "wildcard" : "template");
    for (const std::string& literal : pattern.literals()) bytes.append(literal);
  }
  return std::string(bytes.view());
}

std::string Atom::text() const {
  if (const auto* exact = std::get_if<std::string>(&is)) return *exact;
  if (const auto* prefix = std::get_if<Prefix>(&is)) return to_text(*prefix);
  return std::get<Pattern>(is).text();
}

Specificity Condition::specificity() const {
  if (is_list) return {};
  const auto& only = any_of.front().is;
  if (std::holds_alternative<std::string>(only)) return {.exact = 1};
  if (const auto* prefix = std::get_if<Prefix>(&only)) {
    if (prefix->is_one_address()) return {.exact = 1};
    return {.patterns = 1, .bits = prefix->length};
  }
  return {.patterns = 1, .bits = 8 * std::get<Pattern>(only).literal_bytes()};
}

std::optional<Condition> read_condition(const YamlNode& node, const Normalizer& normalizer,
                                        const Reporter& report) {
  Condition condition;
  condition.is_list = node.kind == YamlNode::Kind::list;
  if (!condition.is_list) {
    auto atom = read_atom(node, normalizer, report);
    if (!atom) return std::nullopt;
    condition.any_of.push_back(std::move(*atom));
    return condition;
  }
  bool good = true;
  std::unordered_map<std::string, Place> seen;
  for (const YamlNode& item : node.children) {
    auto atom = read_atom(item, normalizer, report);
    good = good && atom.has_value();
    if (!atom) continue;
    const auto [before, is_new] = seen.emplace(atom->identity(), item.place);
    if (!is_new) {
      report.add(item.place, fmt::format("\"{}\" stands at {} already", printable(atom->text()),
                                         to_text(before->second)));
      good = false;
    }
    condition.any_of.push_back(std::move(*atom));
  }
  if (node.children.empty()) {
    report.add(node.place, "an empty list matches nothing; name at least one value");
    return std::nullopt;
  }
  return good ? std::optional(std::move(condition)) : std::nullopt;
}

}  // namespace weir
