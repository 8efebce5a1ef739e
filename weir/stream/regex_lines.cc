#include "weir/stream/regex_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "weir/base/text.h"
#include "weir/stream/event_time.h"

namespace weir {
namespace {

constexpr std::int64_t kPatternMemory = std::int64_t{16} << 20U;

re2::RE2::Options options() {
  re2::RE2::Options wishes;
  wishes.set_log_errors(false);
  wishes.set_encoding(re2::RE2::Options::EncodingLatin1);
  wishes.set_max_mem(kPatternMemory);
  return wishes;
}

}  // namespace

Result<std::unique_ptr<Format>> RegexLines::compile(std::string_view pattern) {
  auto expression = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options());
  if (!expression->ok())
    return Error{"the pattern \"" + printable(pattern) + "\" can't be used: " + expression->error()};
  if (expression->NamedCapturingGroups().empty()) {
    return Error{"the pattern \"" + printable(pattern) +
                 "\" names no group; write (?P<name>…) around what is to be a field"};
  }
  std::string spec = "regex:";
  spec += pattern;
  return std::unique_ptr<Format>(std::make_unique<RegexLines>(std::move(spec), std::move(expression)));
}

RegexLines::RegexLines(std::string spec, std::unique_ptr<re2::RE2> expression)
    : spec_(std::move(spec)), expression_(std::move(expression)), groups_(1) {
  const auto& named = expression_->NamedCapturingGroups();
  for (const std::string_view field : kTimeFields) {
    const auto found = named.find(std::string(field));
    if (time_group_ == 0 && found != named.end()) time_group_ = static_cast<std::size_t>(found->second);
  }
  groups_.resize(time_group_ + 1);
}

std::vector<std::string> RegexLines::fields() const {
  std::vector<std::string> names;
  for (const auto& [group, number] : expression_->NamedCapturingGroups()) names.push_back(group);
  return names;
}

Status RegexLines::want(std::string_view name, std::size_t slot) {
  const auto& named = expression_->NamedCapturingGroups();
  std::vector<std::string_view> names;
  names.reserve(named.size());
  for (const auto& [group, number] : named) names.push_back(group);
  const auto field = find_name("regex", name, names);
  if (!field) return field.error();
  const auto group = static_cast<std::size_t>(named.at(std::string(name)));
  wanted_.push_back({group, slot});
  groups_.resize(std::max(groups_.size(), group + 1));
  return Done{};
}

Parsed RegexLines::parse(std::string_view text, Parts& parts) {
  const re2::StringPiece piece(text.data(), text.size());
  if (!expression_->Match(piece, 0, text.size(), re2::RE2::UNANCHORED, groups_.data(),
                          static_cast<int>(groups_.size()))) {
    return Parsed::kMalformed;
  }
  for (const auto& [group, slot] : wanted_) {
    const re2::StringPiece& found = groups_[group];
    if (found.data() != nullptr) parts.fields[slot] = std::string_view(found.data(), found.size());
  }
  if (time_group_ == 0 || groups_[time_group_].empty()) return Parsed::kRecord;
  const re2::StringPiece& time = groups_[time_group_];
  parts.time = parse_event_time({time.data(), time.size()});
  return parts.time ? Parsed::kRecord : Parsed::kMalformed;
}

}  // namespace weir
