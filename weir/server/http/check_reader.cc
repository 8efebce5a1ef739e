#include "weir/server/http/check_reader.h"

#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "weir/base/text.h"

namespace weir::server {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::array<std::string_view, 3> kFields{"dimensions", "cost", "peek"};
constexpr std::string_view kExample = R"({"dimensions":{"account":"42"},"cost":1})";

/// Where the first byte stands that is not UTF-8.
std::size_t find_bad_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

struct StringEnd {
  /// Where the last string begins, and where one holds a control character, if so.
  std::size_t last_begin = 0;
  std::optional<std::size_t> control;
};

StringEnd look_at_strings(std::string_view text) {
  StringEnd found;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && c == '\\') {
      ++i;
    } else if (c == '"') {
      inside = !inside;
      if (inside) found.last_begin = i;
    } else if (inside && static_cast<unsigned char>(c) < 0x20) {
      found.control = i;
      break;
    }
  }
  return found;
}

/// Where the first byte stands behind the object or array that the text begins with.
std::optional<std::size_t> find_behind(std::string_view text) {
  std::size_t depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      const std::size_t behind = text.find_first_not_of(" \t\r\n", i + 1);
      if (behind == std::string_view::npos) return std::nullopt;
      return behind;
    }
    if (depth == 0 && !inside && c != ' ' && c != '\t' && c != '\r' && c != '\n') return std::nullopt;
  }
  return std::nullopt;
}

/// Of \uXXXX.
constexpr std::size_t kEscapeSize = 6;

/// The number of \uXXXX at the front; nothing where there is none.
std::optional<unsigned> unicode_escape(std::string_view text) {
  if (text.size() < kEscapeSize || !text.starts_with("\\u")) return std::nullopt;
  unsigned number = 0;
  for (const char c : text.substr(2, 4)) {
    const auto digit = hex_digit(c);
    if (!digit) return std::nullopt;
    number = number * 16 + static_cast<unsigned>(*digit);
  }
  return number;
}

/// Where a surrogate is escaped without the other one of its pair.
std::optional<std::size_t> find_lone_surrogate(std::string_view text) {
  const auto is_high = [](unsigned number) { return number >= 0xD800 && number < 0xDC00; };
  const auto is_low = [](unsigned number) { return number >= 0xDC00 && number < 0xE000; };
  for (std::size_t i = text.find('\\'); i != std::string_view::npos; i = text.find('\\', i)) {
    const auto number = unicode_escape(text.substr(i));
    if (!number) {
      i += 2;
      continue;
    }
    if (is_low(*number)) return i;
    if (is_high(*number)) {
      const auto next = unicode_escape(text.substr(i + kEscapeSize));
      if (!next || !is_low(*next)) return i;
      i += kEscapeSize;
    }
    i += kEscapeSize;
  }
  return std::nullopt;
}

std::string_view name_of(ondemand::json_type type) {
  switch (type) {
    case ondemand::json_type::array:
      return "an array";
    case ondemand::json_type::object:
      return "an object";
    case ondemand::json_type::number:
      return "a number";
    case ondemand::json_type::string:
      return "a string";
    case ondemand::json_type::boolean:
      return "true or false";
    case ondemand::json_type::null:
      return "null";
  }
  return "something else";
}

template <class Source>
std::string_view type_name(Source& source) {
  ondemand::json_type type{};
  return source.type().get(type) == simdjson::SUCCESS ? name_of(type) : "something that is not JSON";
}

template <class Source>
bool is_type(Source& source, ondemand::json_type wanted) {
  ondemand::json_type type{};
  return source.type().get(type) == simdjson::SUCCESS && type == wanted;
}

}  // namespace

Result<bool> CheckReader::read(std::string_view body, RequestQueue& queue) {
  body_ = body;
  index_.reset();
  const std::size_t dimensions = queue.dimensions.size();
  const std::size_t requests = queue.requests.size();
  const auto undo = [&](Error error) {
    queue.dimensions.resize(dimensions);
    queue.requests.resize(requests);
    return error;
  };
  const auto problem = parser_.iterate(body.data(), body.size(), body.size() + kPadding).get(document_);
  if (problem != simdjson::SUCCESS) return not_json(problem);
  const bool is_array = is_type(document_, ondemand::json_type::array);
  if (!is_array && !is_type(document_, ondemand::json_type::object)) {
    return wrong("$", fmt::format("found {}; write an object such as {}, or an array of them",
                                  type_name(document_), kExample));
  }
  const Status status = is_array ? read_array(queue) : read_request(document_, queue);
  if (!status) return undo(status.error());
  index_.reset();
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return undo(wrong("$", "something stands behind the end of the JSON"));
  }
  return is_array;
}

Status CheckReader::read_array(RequestQueue& queue) {
  ondemand::array array;
  if (const auto problem = document_.get_array().get(array)) return not_json(problem);
  std::size_t count = 0;
  for (auto next : array) {
    Value value;
    // NOLINTNEXTLINE(performance-move-const-arg): get() is there for what is moved only
    if (const auto problem = std::move(next).get(value)) return not_json(problem);
    if (count == max_batch_) {
      index_.reset();
      return wrong("$", fmt::format("more than {} requests in one array; send several", max_batch_));
    }
    index_ = count++;
    if (!is_type(value, ondemand::json_type::object)) {
      return wrong("", fmt::format("found {}; write an object such as {}", type_name(value), kExample));
    }
    if (Status status = read_request(value, queue); !status) return status;
  }
  return Done{};
}

template <class Source>
Status CheckReader::read_request(Source& source, RequestQueue& queue) {
  Object object;
  if (const auto problem = source.get_object().get(object)) return not_json(problem);
  queue.requests.push_back({.first = queue.dimensions.size()});
  unsigned seen = 0;
  for (auto next : object) {
    ondemand::field field;
    if (const auto problem = std::move(next).get(field)) return not_json(problem);
    std::string_view name;
    if (const auto problem = field.unescaped_key().get(name)) return not_json(problem);
    if (Status status = read_field(name, field.value(), queue, seen); !status) return status;
  }
  if ((seen & 1U) == 0) return wrong("", fmt::format("\"dimensions\" is missing, as in {}", kExample));
  return Done{};
}

Status CheckReader::read_field(std::string_view name, Value value, RequestQueue& queue, unsigned& seen) {
  std::size_t which = 0;
  while (which < kFields.size() && kFields[which] != name) ++which;
  if (which == kFields.size()) {
    return wrong("", fmt::format("unknown field \"{}\"{}", printable(name), did_you_mean(name, kFields)));
  }
  if ((seen & (1U << which)) != 0) return wrong("", fmt::format("\"{}\" is given twice", name));
  seen |= 1U << which;
  if (which == 0) return read_dimensions(value, queue);
  QueuedRequest& request = queue.requests.back();
  return which == 1 ? read_cost(value, request.cost) : read_peek(value, request.peek);
}

Status CheckReader::read_dimensions(Value value, RequestQueue& queue) {
  if (!is_type(value, ondemand::json_type::object)) {
    return wrong(".dimensions", fmt::format("found {}; write an object of names and values, such as {}",
                                            type_name(value), R"({"account":"42"})"));
  }
  Object object;
  if (const auto problem = value.get_object().get(object)) return not_json(problem);
  for (auto next : object) {
    ondemand::field field;
    if (const auto problem = std::move(next).get(field)) return not_json(problem);
    if (Status status = read_dimension(field, queue); !status) return status;
  }
  return Done{};
}

Status CheckReader::read_dimension(ondemand::field field, RequestQueue& queue) {
  QueuedRequest& request = queue.requests.back();
  std::string_view name;
  if (const auto problem = field.unescaped_key().get(name)) return not_json(problem);
  if (request.count == max_dimensions_) {
    return wrong(".dimensions", fmt::format("more than {} dimensions", max_dimensions_));
  }
  for (const Dimension& before : std::span(queue.dimensions).subspan(request.first)) {
    if (before.name == name) {
      return wrong(".dimensions", fmt::format("\"{}\" is given twice", printable(name)));
    }
  }
  Value value = field.value();
  if (!is_type(value, ondemand::json_type::string)) {
    return wrong(".dimensions." + printable(name),
                 fmt::format("found {}; the value of a dimension is a string", type_name(value)));
  }
  std::string_view text;
  if (const auto problem = value.get_string().get(text)) return not_json(problem);
  queue.dimensions.push_back({queue.texts.keep(name), queue.texts.keep(text)});
  ++request.count;
  return Done{};
}

Status CheckReader::read_cost(Value value, std::uint64_t& cost) {
  const bool is_number = is_type(value, ondemand::json_type::number);
  const std::string_view found =
      is_number ? trim(std::string_view(value.raw_json_token())) : type_name(value);
  if (!is_number || value.get_uint64().get(cost) != simdjson::SUCCESS || cost > kMaxCost) {
    return wrong(".cost", fmt::format("found {}; a cost is a whole number from 0 to {}", printable(found, 40),
                                      kMaxCost));
  }
  return Done{};
}

Status CheckReader::read_peek(Value value, bool& peek) {
  if (!is_type(value, ondemand::json_type::boolean)) {
    return wrong(".peek", fmt::format("found {}; write true or false", type_name(value)));
  }
  const std::string_view found = trim(std::string_view(value.raw_json_token()));
  if (value.get_bool().get(peek) != simdjson::SUCCESS) {
    return wrong(".peek", fmt::format("found {}, which is no value of JSON; write true or false",
                                      printable(found, 40)));
  }
  return Done{};
}

/// The byte of the body that is read; where that is not known, its end.
std::ptrdiff_t CheckReader::place() {
  const char* at = nullptr;
  if (document_.current_location().get(at) != simdjson::SUCCESS) at = body_.data() + body_.size();
  return at - body_.data();
}

/// `where` is a path from the request on; "$" is the whole body.
Error CheckReader::wrong(std::string_view where, std::string_view what) {
  std::string path = "$";
  if (index_) path += fmt::format("[{}]", *index_);
  if (where != "$") path += where;
  return Error{fmt::format("{}: {} (near byte {} of the body)", path, what, place())};
}

Error CheckReader::not_json(simdjson::error_code problem) {
  if (trim(body_).empty()) return Error{fmt::format("the body is empty; send JSON such as {}", kExample)};
  if (problem == simdjson::UTF8_ERROR) {
    return Error{fmt::format("the body is not UTF-8 at byte {}", find_bad_utf8(body_))};
  }
  if (problem == simdjson::UNESCAPED_CHARS || problem == simdjson::UNCLOSED_STRING) {
    const StringEnd strings = look_at_strings(body_);
    if (strings.control) {
      return Error{
          fmt::format("the body is not JSON: a control character stands in a string at byte {}; write "
                      "it as \\u00XX",
                      *strings.control)};
    }
    return Error{
        fmt::format("the body is not JSON: the string from byte {} on does not end", strings.last_begin)};
  }
  const auto lone = problem == simdjson::STRING_ERROR ? find_lone_surrogate(body_) : std::nullopt;
  if (lone) {
    return wrong("", fmt::format("a string has half of a surrogate pair, at byte {}; one such as \\ud83d is "
                                 "followed by one such as \\ude00",
                                 *lone));
  }
  if (problem == simdjson::STRING_ERROR) return wrong("", "a string has an escape that JSON does not have");
  const auto behind = problem == simdjson::INCOMPLETE_ARRAY_OR_OBJECT ? find_behind(body_) : std::nullopt;
  if (behind) return Error{fmt::format("something follows the JSON, at byte {} of the body", *behind)};
  if (problem == simdjson::INCOMPLETE_ARRAY_OR_OBJECT) {
    return Error{"the body is not JSON: it does not end with the } or ] of what it begins with"};
  }
  return Error{
      fmt::format("the body is not JSON near byte {}: {}", place(), simdjson::error_message(problem))};
}

}  // namespace weir::server
