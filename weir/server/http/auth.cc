#include "weir/server/http/auth.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/server/http/query.h"

namespace weir::server {
namespace {

constexpr std::array<int, 4> kDenyStatuses{401, 403, 429, 503};

/// A field that must say one thing: several lines that all say the same are one.
Result<std::optional<std::string_view>> single(const HttpRequest& request, std::string_view name) {
  std::optional<std::string_view> found;
  for (const HttpField& field : request.fields) {
    if (!same_name(field.name, name)) continue;
    if (found && *found != field.value) {
      return Error{fmt::format("{} is given more than once, and differently", printable(name))};
    }
    found = field.value;
  }
  return found;
}

/// What both proxies' headers say; a client may have added the other one's, so both must agree.
Result<std::optional<std::string_view>> original(const HttpRequest& request, std::string_view nginx,
                                                 std::string_view forwarded) {
  const auto first = single(request, nginx);
  if (!first) return first.error();
  const auto second = single(request, forwarded);
  if (!second) return second.error();
  if (*first && *second && **first != **second) {
    return Error{
        fmt::format("{} and {} differ; let the proxy set one and clear the other", nginx, forwarded)};
  }
  return *first ? *first : *second;
}

class AuthReader {
 public:
  AuthReader(const HttpRequest& request, std::string_view peer, const Policy& policy,
             std::size_t max_dimensions, RequestQueue& queue)
      : request_(request),
        peer_(peer),
        policy_(policy),
        max_dimensions_(max_dimensions),
        queue_(queue),
        first_(queue.dimensions.size()) {}

  Result<AuthAnswer> read() {
    queue_.scratch.clear();
    const Status status = request_.path.size() == kAuthPath.size() ? read_headers() : read_path();
    if (!status) {
      queue_.dimensions.resize(first_);
      return status.error();
    }
    if (!is_named("ip")) add("ip", client());
    queue_.requests.push_back({first_, queue_.dimensions.size() - first_, cost_, false});
    return answer_;
  }

 private:
  void add(std::string_view name, std::string_view value) {
    if (!value.empty()) queue_.dimensions.push_back({name, value});
  }

  /// Whether the query names a header for it, which then alone counts, be it there or not.
  bool is_named(std::string_view name) const {
    return std::find(queue_.scratch.begin(), queue_.scratch.end(), name) != queue_.scratch.end();
  }

  /// The path of http://host/path, too.
  std::string_view endpoint(std::string_view uri) {
    const std::size_t scheme = uri.substr(0, 8).find("://");
    if (scheme == std::string_view::npos || uri.starts_with('/')) return uri;
    if (!same_name(uri.substr(0, scheme), "http") && !same_name(uri.substr(0, scheme), "https")) return uri;
    uri.remove_prefix(std::min(uri.size(), uri.find_first_of("/?", scheme + 3)));
    return uri.starts_with('/') ? uri : queue_.texts.keep("/" + std::string(uri));
  }

  Status read_path() {
    add("endpoint", request_.path.substr(kAuthPath.size()));
    add("method", request_.method);
    return Done{};
  }

  Status read_headers() {
    for (std::string_view query = request_.query;;) {
      const auto pair = take_query_pair(query, queue_.texts);
      if (!pair) return pair.error();
      if (pair->name.empty()) break;
      if (Status status = read_parameter(*pair); !status) return status;
    }
    const auto uri = original(request_, "X-Original-URI", "X-Forwarded-Uri");
    if (!uri) return uri.error();
    const auto method = original(request_, "X-Original-Method", "X-Forwarded-Method");
    if (!method) return method.error();
    if (!is_named("endpoint")) add("endpoint", endpoint(uri->value_or("")));
    if (!is_named("method")) add("method", method->value_or(*uri ? std::string_view() : request_.method));
    return Done{};
  }

  Status read_parameter(const QueryPair& pair) {
    std::vector<std::string_view>& seen = queue_.scratch;
    if (std::find(seen.begin(), seen.end(), pair.name) != seen.end()) {
      return Error{fmt::format("the query has {} twice", printable(pair.name))};
    }
    if (seen.size() == max_dimensions_) {
      return Error{fmt::format("the query has more than {} parameters", max_dimensions_)};
    }
    seen.push_back(pair.name);
    if (pair.name == "deny") return read_deny(pair.value);
    if (pair.name == "cost") return read_cost(pair.value);
    if (pair.name == "status") return Error{"status is for /v1/check; deny=403 says how /v1/auth denies"};
    if (!is_field_name(pair.value)) {
      return Error{
          fmt::format("the query has {0}={1}, and \"{1}\" is no name of a header; write such as "
                      "account=X-Account-Id",
                      printable(pair.name), printable(pair.value))};
    }
    const auto value = single(request_, pair.value);
    if (!value) return value.error();
    add(pair.name, value->value_or(""));
    return Done{};
  }

  Status read_deny(std::string_view text) {
    const auto status = parse_uint(text);
    for (const int known : kDenyStatuses) {
      if (status != static_cast<std::uint64_t>(known)) continue;
      answer_.deny_status = known;
      return Done{};
    }
    return Error{fmt::format("the query has deny={}; write 401, 403, 429 or 503", printable(text))};
  }

  Status read_cost(std::string_view text) {
    const auto cost = parse_uint(text);
    if (!cost || *cost > kMaxCost) {
      return Error{fmt::format("the query has cost={}; a cost is a whole number from 0 to {}",
                               printable(text), kMaxCost)};
    }
    cost_ = *cost;
    return Done{};
  }

  static bool is_field_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
  }

  std::string_view client() {
    std::vector<std::string_view>& lines = queue_.scratch;
    lines.clear();
    for (const HttpField& field : request_.fields) {
      if (same_name(field.name, "X-Forwarded-For")) lines.push_back(field.value);
    }
    if (lines.empty()) return peer_;
    return queue_.texts.keep(policy_.client_address(peer_, lines));
  }

  const HttpRequest& request_;
  std::string_view peer_;
  const Policy& policy_;
  std::size_t max_dimensions_;
  RequestQueue& queue_;
  std::size_t first_;
  std::uint64_t cost_ = 1;
  AuthAnswer answer_;
};

}  // namespace

Result<AuthAnswer> read_auth(const HttpRequest& request, std::string_view peer, const Policy& policy,
                             std::size_t max_dimensions, RequestQueue& queue) {
  return AuthReader(request, peer, policy, max_dimensions, queue).read();
}

}  // namespace weir::server
