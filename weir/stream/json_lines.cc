#include "weir/stream/json_lines.h"

#include <algorithm>

#include "weir/base/text.h"
#include "weir/stream/json_text.h"
#include "weir/stream/line_reader.h"

namespace weir {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);

/// Numbers, true and false. Null is told apart before.
bool is_scalar(std::string_view token) {
  return token == "true" || token == "false" || is_json_number(token);
}

}  // namespace

Status JsonLines::want(std::string_view name, std::size_t slot) {
  names_.emplace_back(name);
  slots_.push_back(slot);
  found_depth_.resize(std::max(found_depth_.size(), slot + 1), kNotFound);
  // The names may have moved.
  searches_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i) searches_.push_back({names_[i], slots_[i]});
  return Done{};
}

void JsonLines::glance(std::span<const std::string_view> lines) {
  for (const std::string_view line : lines) {
    ondemand::document document;
    ondemand::object object;
    const std::size_t room = line.size() + simdjson::SIMDJSON_PADDING;
    if (parser_.iterate(line.data(), line.size(), room).get(document) != simdjson::SUCCESS) continue;
    if (document.get_object().get(object) != simdjson::SUCCESS) continue;
    for (auto field : object) {
      std::string_view key;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) break;
      if (std::find(glanced_.begin(), glanced_.end(), key) == glanced_.end()) glanced_.emplace_back(key);
    }
  }
}

Parsed JsonLines::parse(std::string_view text, Parts& parts) {
  scratch_.clear();
  std::fill(found_depth_.begin(), found_depth_.end(), kNotFound);
  times_.fill(std::nullopt);
  searches_.resize(names_.size());
  return walk_document(text, parts) && read_time(parts) ? Parsed::kRecord : Parsed::kMalformed;
}

bool JsonLines::walk_document(std::string_view text, Parts& parts) {
  ondemand::document document;
  simdjson::error_code problem =
      parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
  if (problem == simdjson::UTF8_ERROR) {
    text = repair_utf8(text, simdjson::SIMDJSON_PADDING, scratch_);
    problem =
        parser_.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(document);
  }
  ondemand::object object;
  if (problem != simdjson::SUCCESS || document.get_object().get(object) != simdjson::SUCCESS) return false;
  if (!walk_object(object, 0, searches_.size(), 0, parts)) return false;
  // Anything behind the object?
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool JsonLines::walk_object(ondemand::object object, std::size_t begin, std::size_t end, std::size_t depth,
                            Parts& parts) {
  for (auto next : object) {
    ondemand::field field;
    if (std::move(next).get(field) != simdjson::SUCCESS) return false;
    if (!walk_field(field, begin, end, depth, parts)) return false;
  }
  return true;
}

/// Offers one field to the searches from `begin` to `end`.
bool JsonLines::walk_field(ondemand::field& field, std::size_t begin, std::size_t end, std::size_t depth,
                           Parts& parts) {
  std::string_view key;
  if (!read_key(field, key)) return false;
  const std::size_t inner_begin = searches_.size();
  for (std::size_t i = begin; i < end; ++i) {
    const Search search = searches_[i];
    if (search.rest.size() > key.size() && search.rest[key.size()] == '.' && search.rest.starts_with(key)) {
      searches_.push_back({search.rest.substr(key.size() + 1), search.slot});
    }
  }
  const std::size_t inner_end = searches_.size();
  ondemand::value value = field.value();
  Token token{};
  ondemand::object inner;
  if (inner_end > inner_begin && value.get_object().get(inner) == simdjson::SUCCESS) {
    std::string_view raw;
    if (inner.raw_json().get(raw) != simdjson::SUCCESS || inner.reset().error() != simdjson::SUCCESS)
      return false;
    token = {trim(raw), false, false};
    if (!walk_object(inner, inner_begin, inner_end, depth + 1, parts)) return false;
  } else if (!read_value(value, token)) {
    return false;
  }
  searches_.resize(inner_begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (searches_[i].rest == key && !keep(token, searches_[i].slot, depth, parts)) return false;
  }
  if (depth == 0) keep_time(key, token);
  return true;
}

bool JsonLines::read_key(ondemand::field& field, std::string_view& key) {
  const char* begin = field.key().raw();
  // The text is known to close every string that it opens.
  const char* end = begin;
  while (*end != '"' && *end != '\\') ++end;
  if (*end == '"') {
    key = {begin, static_cast<std::size_t>(end - begin)};
    return true;
  }
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  const auto unescaped = unescape_json({begin, static_cast<std::size_t>(end - begin)}, scratch_);
  if (unescaped) key = *unescaped;
  return unescaped.has_value();
}

bool JsonLines::read_value(ondemand::value value, Token& token) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  std::string_view raw;
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    if (array.raw_json().get(raw) != simdjson::SUCCESS) return false;
    token = {trim(raw), false, false};
    return true;
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    if (object.raw_json().get(raw) != simdjson::SUCCESS) return false;
    token = {trim(raw), false, false};
    return true;
  }
  raw = trim(value.raw_json_token());
  if (type == ondemand::json_type::string) {
    if (raw.size() < 2 || raw.back() != '"') return false;
    token = {raw.substr(1, raw.size() - 2), true, false};
    return true;
  }
  token = {raw, false, raw == "null"};
  return token.is_null || is_scalar(raw);
}

/// False when the value is a string with an escape that is none.
bool JsonLines::keep(const Token& token, std::size_t slot, std::size_t depth, Parts& parts) {
  if (found_depth_[slot] <= depth) return true;
  found_depth_[slot] = depth;
  parts.fields[slot].reset();
  if (token.is_null) return true;
  parts.fields[slot] = token.is_string ? unescape_json(token.text, scratch_) : token.text;
  return parts.fields[slot].has_value();
}

void JsonLines::keep_time(std::string_view key, const Token& token) {
  for (std::size_t i = 0; i < kTimeFields.size(); ++i) {
    if (kTimeFields[i] == key && !times_[i]) times_[i] = token;
  }
}

/// False when there is a time that can't be read as one.
bool JsonLines::read_time(Parts& parts) {
  const auto first =
      std::find_if(times_.begin(), times_.end(), [](const auto& time) { return time && !time->is_null; });
  if (first == times_.end()) return true;
  const Token& token = **first;
  const auto text = token.is_string ? unescape_json(token.text, scratch_) : token.text;
  if (text) parts.time = parse_event_time(*text);
  return parts.time.has_value();
}

}  // namespace weir
