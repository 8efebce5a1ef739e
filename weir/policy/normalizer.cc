#include "weir/policy/normalizer.h"

#include <array>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/policy/fields.h"
#include "weir/policy/path.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 5> kMethods{"ip", "path", "trim", "casefold", "nfkc"};

}  // namespace

Normalizer Normalizer::for_dimension(std::string_view name) {
  Normalizer normalizer;
  normalizer.address_ = name == "ip";
  normalizer.path_ = name == "endpoint";
  return normalizer;
}

void Normalizer::configure(const YamlNode& node, const Reporter& report) {
  switch (node.kind) {
    case YamlNode::Kind::map:
      return configure_address(node, report);
    case YamlNode::Kind::list:
      for (const YamlNode& step : node.children) add_step(step, report);
      break;
    case YamlNode::Kind::scalar:
      add_step(node, report);
      break;
    case YamlNode::Kind::null:
      report.add(node.place, "write ip, {prefix6: 64}, path, or a list of trim, casefold and nfkc");
      return;
  }
  if (address_ && (path_ || steps_.any())) {
    report.add(node.place,
               "an address has one form already; path, trim, casefold and nfkc are for other dimensions");
  }
}

void Normalizer::configure_address(const YamlNode& node, const Reporter& report) {
  if (path_) report.add(node.place, "the values of this dimension are paths, which have no prefix6");
  address_ = true;
  if (!check_fields(node, {{"prefix6"}}, {}, report)) return;
  if (const YamlNode* prefix = node.find("prefix6")) {
    if (const auto bits = read_number(*prefix, 1, 128, report.within("prefix6")))
      prefix6_ = static_cast<unsigned>(*bits);
  }
}

void Normalizer::add_step(const YamlNode& node, const Reporter& report) {
  const auto method = read_text(node, report);
  if (!method) return;
  if (*method == "ip") {
    address_ = true;
  } else if (*method == "path") {
    path_ = true;
  } else if (*method == "trim") {
    steps_.trim = true;
  } else if (*method == "casefold") {
    steps_.casefold = true;
  } else if (*method == "nfkc") {
    steps_.nfkc = true;
  } else {
    report.add(node.place, unknown_word("method", *method, kMethods));
  }
}

void Normalizer::apply(std::string_view raw, Value& out, FoldScratch& scratch) const {
  out.text.clear();
  out.address.reset();
  if (address_) out.address = parse_address(raw);
  if (out.address) {
    append_address(out.text, out.address->v4 ? *out.address : cut(*out.address, prefix6_));
    return;
  }
  if (path_) {
    append_path(out.text, raw);
  } else {
    out.text = raw;
  }
  if (steps_.any()) fold(out.text, steps_, scratch);
}

Value Normalizer::apply(std::string_view raw) const {
  Value value;
  FoldScratch scratch;
  apply(raw, value, scratch);
  return value;
}

}  // namespace weir
