#include "weir/server/http/decision_text.h"

#include <algorithm>
#include <variant>

#include "weir/base/text.h"
#include "weir/server/http/answer.h"

namespace weir::server {
namespace {

/// The largest integer of a structured field.
constexpr std::uint64_t kMaxFieldInteger = 999'999'999'999'999;

void append_field_integer(std::string& out, std::uint64_t number) {
  append_number(out, std::min(number, kMaxFieldInteger));
}

std::uint64_t seconds(Nanos wait) {
  return static_cast<std::uint64_t>(ceil_seconds(std::max<Nanos>(wait, 0)));
}

/// `RateLimit-Policy: "chat";q=5;w=10`. The window is left out where it is no whole number of seconds.
void append_policy_field(std::string& out, const Told& told) {
  const Limit& limit = told.limit().limit;
  out += "RateLimit-Policy: ";
  append_field_string(out, told.rule().name);
  out += ";q=";
  append_field_integer(out, limit.quota);
  if (const Nanos* per = std::get_if<Nanos>(&limit.per); per != nullptr && *per % kSecond == 0) {
    out += ";w=";
    append_field_integer(out, static_cast<std::uint64_t>(*per / kSecond));
  }
  out += "\r\n";
}

/// `RateLimit: "chat";r=9;t=2`
void append_state_field(std::string& out, const Told& told, std::optional<Nanos> until_more) {
  out += "RateLimit: ";
  append_field_string(out, told.rule().name);
  out += ";r=";
  append_field_integer(out, told.decision.remaining);
  if (until_more) {
    out += ";t=";
    append_field_integer(out, std::max<std::uint64_t>(seconds(*until_more), 1));
  }
  out += "\r\n";
}

void append_legacy_fields(std::string& out, const Decision& decision) {
  out += "X-RateLimit-Limit: ";
  append_number(out, decision.limit);
  out += "\r\nX-RateLimit-Remaining: ";
  append_number(out, decision.remaining);
  out += "\r\nX-RateLimit-Reset: ";
  append_number(out, seconds(decision.reset_after));
  out += "\r\n";
}

void append_seconds_or_null(std::string& out, std::optional<Nanos> wait) {
  if (wait) {
    append_seconds(out, *wait);
  } else {
    out += "null";
  }
}

}  // namespace

void append_field_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  out += '"';
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '%') {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
}

void append_limit_fields(std::string& out, const Told& told, std::optional<Nanos> until_more,
                         LimitHeaders dialect) {
  const Decision& decision = told.decision;
  if (!decision.allowed && decision.retry_after) {
    out += "Retry-After: ";
    append_number(out, std::max<std::uint64_t>(seconds(*decision.retry_after), 1));
    out += "\r\n";
  }
  if (dialect == LimitHeaders::none || !decision.rule) return;
  append_policy_field(out, told);
  append_state_field(out, told, until_more);
  if (dialect == LimitHeaders::legacy) append_legacy_fields(out, decision);
}

void append_decision_members(std::string& out, const Told& told) {
  const Decision& decision = told.decision;
  out += decision.allowed ? "\"allowed\":true,\"rule\":" : "\"allowed\":false,\"rule\":";
  if (!decision.rule) {
    out +=
        "null,\"limit\":null,\"remaining\":null,\"reset_after\":null,\"retry_after\":0,\"delay\":0,"
        "\"action\":null,\"challenge\":null";
    return;
  }
  append_json_string(out, told.rule().name);
  out += ",\"limit\":";
  append_number(out, decision.limit);
  out += ",\"remaining\":";
  append_number(out, decision.remaining);
  out += ",\"reset_after\":";
  append_seconds(out, decision.reset_after);
  out += ",\"retry_after\":";
  append_seconds_or_null(out, decision.retry_after);
  out += ",\"delay\":";
  append_seconds(out, decision.delay);
  out += ",\"action\":\"";
  out += name_of(decision.action);
  out += "\",\"challenge\":null";
}

void append_denial_problem(std::string& out, const Told& told, int status) {
  out +=
      "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\"title\":\"Request "
      "cannot be "
      "satisfied as assigned quota has been exceeded\",\"status\":";
  append_number(out, static_cast<std::uint64_t>(status));
  out += ",\"violated-policies\":[";
  if (told.decision.rule) append_json_string(out, told.rule().name);
  out += "],";
  append_decision_members(out, told);
  out += "}\n";
}

}  // namespace weir::server
