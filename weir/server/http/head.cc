#include "weir/server/http/head.h"

#include <algorithm>

namespace weir::server {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> HttpRequest::field(std::string_view name) const {
  for (const HttpField& each : fields) {
    if (same_name(each.name, name)) return each.value;
  }
  return std::nullopt;
}

}  // namespace weir::server
