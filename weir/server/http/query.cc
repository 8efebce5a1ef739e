#include "weir/server/http/query.h"

#include <string>

#include "weir/base/text.h"

namespace weir::server {
namespace {

Result<std::string_view> decode(std::string_view text, TextArena& texts) {
  if (text.find('%') == std::string_view::npos) return text;
  std::string decoded;
  while (!text.empty()) {
    if (text.front() != '%') {
      decoded += text.front();
      text.remove_prefix(1);
      continue;
    }
    const auto high = text.size() > 2 ? hex_digit(text[1]) : std::nullopt;
    const auto low = text.size() > 2 ? hex_digit(text[2]) : std::nullopt;
    if (!high || !low) return Error{"the query has a % that no two hexadecimal digits follow"};
    decoded += static_cast<char>(*high * 16 + *low);
    text.remove_prefix(3);
  }
  return texts.keep(decoded);
}

}  // namespace

Result<QueryPair> take_query_pair(std::string_view& query, TextArena& texts) {
  while (query.starts_with('&')) query.remove_prefix(1);
  const std::string_view pair = query.substr(0, query.find('&'));
  query.remove_prefix(pair.size());
  if (pair.empty()) return QueryPair{};
  const std::size_t equals = pair.find('=');
  const auto name = decode(pair.substr(0, equals), texts);
  if (!name) return name.error();
  if (name->empty()) return Error{"the query has a value without a name"};
  const auto value = decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1), texts);
  if (!value) return value.error();
  return QueryPair{*name, *value};
}

}  // namespace weir::server
