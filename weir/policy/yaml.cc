#include "weir/policy/yaml.h"

#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "weir/base/text.h"

namespace weir {
namespace {

constexpr std::string_view kNoAliases =
    "aliases (*name) are not read; write the value out, and put a text that begins with * in quotes";

/// How a refusal leaves the parser, which has no other way to be stopped.
struct Refused {
  Place place;
  std::string message;
};

Place place_of(const YAML::Mark& mark, const std::string& file) {
  if (mark.is_null()) return {&file, 1, 1};
  return {&file, static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(mark, "a second document begins here; a policy is one document per file");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, fmt::format("anchors (&{}) are not read; write the value out", printable(name)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, std::string(kNoAliases)); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { attach(begin(mark, YamlNode::Kind::null)); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    YamlNode node = begin(mark, YamlNode::Kind::scalar);
    node.quoted = tag == "!";
    refuse_tag(mark, tag);
    node.scalar = value;
    attach(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open_.push_back(begin(mark, YamlNode::Kind::list));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open_.push_back(begin(mark, YamlNode::Kind::map));
    fields_.emplace_back();
  }
  void OnMapEnd() override {
    fields_.pop_back();
    close();
  }

 private:
  /// The fields of an open map so far, and the one whose value comes next.
  struct Fields {
    std::unordered_map<std::string, Place> seen;
    std::optional<std::pair<std::string, Place>> waiting;
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw Refused{place_of(mark, file_), std::move(message)};
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse(mark, fmt::format("tags ({}) are not read; write the plain value", printable(tag)));
  }

  YamlNode begin(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > kMaxYamlNodes) {
      refuse(mark, fmt::format("the file holds more than {} values", with_thousands(kMaxYamlNodes)));
    }
    if (open_.size() >= kMaxYamlDepth) {
      refuse(mark, fmt::format("this is nested more than {} deep", kMaxYamlDepth));
    }
    YamlNode node;
    node.kind = kind;
    node.place = place_of(mark, file_);
    return node;
  }

  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    attach(std::move(node));
  }

  void attach(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().kind == YamlNode::Kind::list) {
      open_.back().children.push_back(std::move(node));
    } else if (Fields& fields = fields_.back(); !fields.waiting) {
      name_field(fields, node);
    } else {
      node.key = std::move(fields.waiting->first);
      node.key_place = fields.waiting->second;
      fields.waiting.reset();
      open_.back().children.push_back(std::move(node));
    }
  }

  void name_field(Fields& fields, YamlNode& name) const {
    if (name.kind != YamlNode::Kind::scalar) {
      throw Refused{name.place, "the name of a field must be a text"};
    }
    if (name.scalar == "<<" && !name.quoted) {
      throw Refused{name.place, "merge keys (<<) are not read; write the fields out"};
    }
    const auto [before, is_new] = fields.seen.emplace(name.scalar, name.place);
    if (!is_new) {
      throw Refused{name.place, fmt::format("\"{}\" is given twice; the first stands at {}",
                                            printable(name.scalar), to_text(before->second))};
    }
    fields.waiting.emplace(std::move(name.scalar), name.place);
  }

  const std::string& file_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  YamlNode root_;
  // Open lists and maps, outermost first; `fields_` has an element for each map among them.
  std::vector<YamlNode> open_;
  std::vector<Fields> fields_;
};

/// What would otherwise be read as something else than it looks like.
std::optional<std::string> find_bad_bytes(std::string_view rest, bool in_indent) {
  const auto byte = static_cast<unsigned char>(rest[0]);
  if (byte == '\t' && in_indent) return "a TAB stands in the indentation; indent with spaces";
  if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
    return fmt::format(
        "the control character \\x{:02x} is not allowed; write it as \"\\x{:02x}\" in double quotes", byte,
        byte);
  }
  if (utf8_length(rest) == 0) {
    return fmt::format("the byte \\x{:02x} is not UTF-8; save the file as UTF-8", byte);
  }
  return std::nullopt;
}

/// True when all bytes are fit to be parsed.
bool check_bytes(std::string_view text, const std::string& file, Problems& problems) {
  Place place{&file, 1, 1};
  bool in_indent = true;
  while (!text.empty()) {
    if (const auto bad = find_bad_bytes(text, in_indent)) {
      problems.add(place, *bad);
      return false;
    }
    const char c = text[0];
    in_indent = c == '\n' || (in_indent && (c == ' ' || c == '\r'));
    place.line += c == '\n' ? 1 : 0;
    place.column = c == '\n' ? 1 : place.column + 1;
    text.remove_prefix(utf8_length(text));
  }
  return true;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
  for (const YamlNode& child : children) {
    if (child.key == name) return &child;
  }
  return nullptr;
}

bool YamlNode::same_as(const YamlNode& other) const {
  if (kind != other.kind || quoted != other.quoted || key != other.key || scalar != other.scalar)
    return false;
  if (children.size() != other.children.size()) return false;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (!children[i].same_as(other.children[i])) return false;
  }
  return true;
}

std::optional<YamlNode> parse_yaml(std::string_view text, const std::string& file, Problems& problems) {
  if (text.size() > kMaxPolicyBytes) {
    problems.add({&file, 1, 1}, fmt::format("the file has {} bytes; a policy has at most {}",
                                            with_thousands(text.size()), with_thousands(kMaxPolicyBytes)));
    return std::nullopt;
  }
  if (!check_bytes(text, file, problems)) return std::nullopt;
  TreeBuilder builder(file);
  try {
    // Without the comment, yaml-cpp takes a quote that is still open at the last line break for a closed one.
    std::istringstream stream(std::string(text) + "\n#");
    YAML::Parser parser(stream);
    bool any = false;
    while (parser.HandleNextDocument(builder)) any = true;
    if (any) return builder.take_root();
    problems.add({&file, 1, 1}, "the file is empty; a policy begins with \"domain:\" and \"rules:\"");
  } catch (const Refused& refused) {
    problems.add(refused.place, refused.message);
  } catch (const YAML::Exception& bad) {
    const bool is_alias = bad.msg.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR) ||
                          bad.msg.starts_with(YAML::ErrorMsg::ALIAS_NOT_FOUND);
    problems.add(place_of(bad.mark, file),
                 is_alias ? std::string(kNoAliases) : fmt::format("this is not YAML: {}", bad.msg));
  }
  return std::nullopt;
}

}  // namespace weir
