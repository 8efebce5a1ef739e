#include "weir/stream/access_log.h"

#include <algorithm>

#include "weir/base/text.h"
#include "weir/stream/log_escapes.h"

namespace weir {
namespace {

constexpr std::array<std::string_view, 12> kNames = {"ip",      "ident",  "user",    "time",
                                                     "request", "method", "path",    "protocol",
                                                     "status",  "bytes",  "referer", "user_agent"};
constexpr std::size_t kCommonNames = 10;

/// What stands before the first `stop`, which is taken away with it. False, and nothing taken, when there is
/// none.
bool take_until(std::string_view& text, char stop, std::string_view& taken) {
  const std::size_t end = text.find(stop);
  if (end == std::string_view::npos) return false;
  taken = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

bool is_escaped(std::string_view text, std::size_t at) {
  std::size_t backslashes = 0;
  while (backslashes < at && text[at - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

/// Takes `"…"` and the space behind it. What closes it is a quote that is not escaped, before a space or the
/// end.
bool take_quoted(std::string_view& text, std::string_view& taken) {
  if (text.empty() || text.front() != '"') return false;
  for (std::size_t end = text.find('"', 1); end != std::string_view::npos; end = text.find('"', end + 1)) {
    const bool closes = end + 1 == text.size() || text[end + 1] == ' ';
    if (!closes || is_escaped(text, end)) continue;
    taken = text.substr(1, end - 1);
    text.remove_prefix(std::min(text.size(), end + 2));
    return true;
  }
  return false;
}

bool is_number_or_dash(std::string_view text) {
  if (text == "-") return true;
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "www.example.com:80", but not an IPv6 address.
bool is_host_and_port(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && colon > 0 && word.size() - colon <= 6 &&
         is_number_or_dash(word.substr(colon + 1));
}

/// Four numbers with dots, or hexadecimal groups with colons. Good enough to tell an address from a host's
/// name.
bool is_address(std::string_view word) {
  const auto colons = std::count(word.begin(), word.end(), ':');
  if (colons >= 2) return word.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  return std::count(word.begin(), word.end(), '.') == 3 &&
         word.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Takes the client, and where it stands first in a list of forwarded addresses ("192.0.2.1, 10.0.0.1") the
/// list.
bool take_client(std::string_view& line, std::string_view& client) {
  if (!take_until(line, ' ', client)) return false;
  for (std::string_view last = client; last.ends_with(',');) {
    if (!take_until(line, ' ', last)) return false;
  }
  if (client.ends_with(',')) client.remove_suffix(1);
  return !client.empty();
}

/// A request has the parts of HTTP when it reads like a method and a target, and not like what a scanner of
/// another protocol sends.
bool is_method(std::string_view word) {
  return !word.empty() && word.size() <= 32 && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  });
}

bool is_target(std::string_view method, std::string_view target) {
  return target.starts_with('/') || target == "*" || target.find("://") != std::string_view::npos ||
         (method == "CONNECT" && !target.empty());
}

}  // namespace

std::vector<std::string> AccessLog::fields() const {
  return {kNames.begin(), kNames.begin() + (kind_ == Kind::kCommon ? kCommonNames : kNames.size())};
}

Status AccessLog::want(std::string_view name, std::size_t slot) {
  const std::span<const std::string_view> names(kNames);
  const auto field =
      find_name(this->name(), name, kind_ == Kind::kCommon ? names.first(kCommonNames) : names);
  if (!field) return field.error();
  wanted_.push_back({*field, slot});
  wants_request_parts_ |= *field == kMethod || *field == kPath || *field == kProtocol;
  return Done{};
}

Parsed AccessLog::parse(std::string_view text, Parts& parts) {
  scratch_.clear();
  if (text.starts_with('"') && !unwrap(text)) return Parsed::kMalformed;
  Cut pieces;
  if (!cut(text, pieces, parts.time)) return Parsed::kMalformed;
  for (const auto& [field, slot] : wanted_) {
    std::optional<std::string_view>& value = parts.fields[slot];
    value = pieces[field];
    if (value && value->find('\\') != std::string_view::npos) value = unescape_log(*value, scratch_);
  }
  return Parsed::kRecord;
}

bool AccessLog::cut(std::string_view line, Cut& cut, std::optional<Nanos>& time) {
  if (!cut_client(line, cut, time)) return false;
  std::string_view request;
  if (!take_quoted(line, request)) return false;
  const std::string_view status = take_word(line);
  const std::string_view bytes = take_word(line);
  if (!is_number_or_dash(status) || !is_number_or_dash(bytes)) return false;
  cut[kRequest] = request;
  cut[kStatus] = status;
  cut[kBytes] = bytes;
  if (kind_ == Kind::kCombined) {
    std::string_view referer;
    std::string_view agent;
    if (!take_quoted(line, referer) || !take_quoted(line, agent)) return false;
    cut[kReferer] = referer;
    cut[kUserAgent] = agent;
  }
  if (wants_request_parts_) cut_request(request, cut);
  return true;
}

void AccessLog::cut_request(std::string_view request, Cut& cut) {
  const std::string_view method = take_word(request);
  const std::size_t last_space = request.rfind(' ');
  std::string_view protocol;
  if (last_space != std::string_view::npos && request.substr(last_space + 1).starts_with("HTTP/")) {
    protocol = request.substr(last_space + 1);
    request = request.substr(0, last_space);
  }
  if (!is_method(method) || !is_target(method, request)) return;
  cut[kMethod] = method;
  cut[kPath] = request;
  if (!protocol.empty()) cut[kProtocol] = protocol;
}

/// Everything up to the time, which must be right.
bool AccessLog::cut_client(std::string_view& line, Cut& cut, std::optional<Nanos>& time) {
  std::string_view client;
  std::string_view ident;
  if (!take_client(line, client) || !take_until(line, ' ', ident)) return false;
  // Users may have spaces and brackets in their names; the time that reads as one ends it.
  std::size_t open = line.find('[');
  while (open != std::string_view::npos) {
    time = line.size() > open + AccessTime::kLength + 3
               ? clock_.parse(line.substr(open + 1, AccessTime::kLength))
               : std::nullopt;
    if (time && open > 0 && line[open - 1] == ' ' && line.substr(open + 1 + AccessTime::kLength, 2) == "] ")
      break;
    open = line.find('[', open + 1);
  }
  if (open == std::string_view::npos) return false;
  std::string_view user = line.substr(0, open - 1);
  // The virtual host first, with its port or without.
  if (ident != "-" && user.find(' ') != std::string_view::npos &&
      (is_host_and_port(client) || (is_address(ident) && !is_address(client)))) {
    client = ident;
    ident = take_word(user);
  }
  cut[kTime] = line.substr(open + 1, AccessTime::kLength);
  line.remove_prefix(open + AccessTime::kLength + 3);
  cut[kIp] = client;
  if (ident != "-") cut[kIdent] = ident;
  if (user != "-") cut[kUser] = user;
  return true;
}

/// Takes the quotes around a whole line away, and one level of the escapes inside.
bool AccessLog::unwrap(std::string_view& line) {
  if (line.size() < 2 || line.back() != '"') return false;
  line = line.substr(1, line.size() - 2);
  const std::size_t quote = line.find('"');
  if (quote == std::string_view::npos) return false;
  const bool doubled = quote == 0 || line[quote - 1] != '\\';
  const char escape = doubled ? '"' : '\\';
  const std::span<char> room = scratch_.take(line.size());
  std::size_t used = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool escapes =
        line[i] == escape && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == escape);
    if (escapes) ++i;
    room[used++] = line[i];
  }
  line = {room.data(), used};
  return true;
}

}  // namespace weir
