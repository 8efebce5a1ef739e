#include "weir/server/http/answer.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <utility>

#include "weir/base/text.h"

namespace weir::server {
namespace {

constexpr std::array<std::pair<int, std::string_view>, 18> kReasons{{
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
}};

std::string_view reason_phrase(int status) {
  for (const auto& [code, phrase] : kReasons) {
    if (code == status) return phrase;
  }
  return "";
}

}  // namespace

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

std::string_view HttpDate::at(Nanos now) {
  const std::int64_t second = now / kSecond;
  if (second != second_) {
    second_ = second;
    const std::time_t time = second;
    std::tm parts{};
    gmtime_r(&time, &parts);
    std::array<char, 40> text{};
    // The C locale's names, which are the ones that HTTP has: nothing sets another.
    text_.assign(text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return text_;
}

void append_answer(std::string& out, int status, std::string_view content_type, std::string_view fields,
                   std::string_view body, std::string_view date, AnswerShape shape) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::uint64_t>(status));
  out += ' ';
  out += reason_phrase(status);
  out += "\r\nDate: ";
  out += date;
  if (!content_type.empty()) {
    out += "\r\nContent-Type: ";
    out += content_type;
  }
  out += "\r\nContent-Length: ";
  append_number(out, body.size());
  if (shape.close) {
    out += "\r\nConnection: close\r\n";
  } else {
    out += shape.tell_keep_alive ? "\r\nConnection: keep-alive\r\n" : "\r\n";
  }
  out += fields;
  out += "\r\n";
  if (!shape.head_only) out += body;
}

void write_problem(std::string& body, int status, std::string_view detail) {
  body = "{\"type\":\"about:blank\",\"title\":\"";
  body += reason_phrase(status);
  body += "\",\"status\":";
  append_number(body, static_cast<std::uint64_t>(status));
  body += ",\"detail\":";
  append_json_string(body, detail);
  body += "}\n";
}

}  // namespace weir::server
