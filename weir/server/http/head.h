// What the head of an HTTP request says, as views of its bytes.
#pragma once

#include <span>
#include <string_view>

namespace weir::server {

struct HttpField {
  std::string_view name;
  std::string_view value;
};

struct HttpRequest {
  std::string_view method;
  /// The request's target up to its query, such as /v1/check; never empty.
  std::string_view path;
  /// Behind the question mark; empty when there is none.
  std::string_view query;
  std::span<const HttpField> fields;
  std::string_view body;
  bool http_1_0 = false;
  bool keep_alive = true;

  bool is_head() const { return method == "HEAD"; }
};

/// Whether a token, such as a method or the name of a field, may have it.
bool is_token_char(char c);

/// Whether two names of fields are the same: in ASCII, case does not matter.
bool same_name(std::string_view a, std::string_view b);

}  // namespace weir::server
