// The bytes of HTTP answers, appended to a buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weir/base/time.h"

namespace weir::server {

/// What of an answer depends on the request that asked.
struct AnswerShape {
  /// The head alone, as HEAD wants it.
  bool head_only = false;
  /// No other request is read from this connection.
  bool close = false;
  /// HTTP/1.0 wants to be told when its connection stays.
  bool tell_keep_alive = false;
};

void append_number(std::string& out, std::uint64_t number);

/// The date of an answer, formatted once a second.
class HttpDate {
 public:
  /// "Mon, 30 Nov 2026 12:34:48 GMT"
  std::string_view at(Nanos now);

 private:
  std::int64_t second_ = -1;
  std::string text_;
};

/// Appends a whole answer. `fields` are header lines, each with its end.
void append_answer(std::string& out, int status, std::string_view content_type, std::string_view fields,
                   std::string_view body, std::string_view date, AnswerShape shape);

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProblemJson = "application/problem+json";
inline constexpr std::string_view kPlain = "text/plain; charset=utf-8";

/// Fills `body` with a problem document (RFC 9457) that says `detail`.
void write_problem(std::string& body, int status, std::string_view detail);

}  // namespace weir::server
