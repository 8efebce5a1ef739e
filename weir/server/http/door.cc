#include "weir/server/http/door.h"

#include <utility>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/server/http/auth.h"
#include "weir/server/http/decision_text.h"
#include "weir/server/http/query.h"

namespace weir::server {
namespace {

/// Checks that are gathered at the most before they are decided.
constexpr std::size_t kMaxGathered = 256;

PathClass class_of(std::string_view path) {
  if (path == "/v1/check") return PathClass::check;
  if (path == kAuthPath || (path.starts_with(kAuthPath) && path[kAuthPath.size()] == '/'))
    return PathClass::auth;
  if (path == "/healthz") return PathClass::healthz;
  if (path == "/readyz") return PathClass::readyz;
  if (path == "/metrics") return PathClass::metrics;
  return PathClass::other;
}

/// Whether ?status=200 asks for denials with 200. An error for a query that says anything else.
Result<bool> wants_status_200(std::string_view query, TextArena& texts) {
  bool wanted = false;
  for (;;) {
    const auto pair = take_query_pair(query, texts);
    if (!pair) return pair.error();
    if (pair->name.empty()) return wanted;
    if (pair->name != "status") {
      return Error{fmt::format("the query has an unknown parameter \"{}\"; there is status=200",
                               printable(pair->name))};
    }
    if (pair->value != "200") {
      return Error{
          fmt::format("the query has status={}; there is status=200 alone, for denials to be told with 200",
                      printable(pair->value))};
    }
    if (wanted) return Error{"the query has status twice"};
    wanted = true;
  }
}

}  // namespace

HttpDoor::HttpDoor(const HttpOptions& options, Decider& decider, HttpServices services)
    : options_(options),
      decider_(decider),
      services_(std::move(services)),
      reader_(options.max_batch, options.max_dimensions) {}

void HttpDoor::take(const HttpRequest& request, std::string_view peer, bool last, std::string& out) {
  const AnswerShape shape{
      .head_only = request.is_head(), .close = last, .tell_keep_alive = request.http_1_0 && !last};
  const PathClass path = class_of(request.path);
  switch (path) {
    case PathClass::check:
      take_check(request, shape, out);
      break;
    case PathClass::auth:
      take_auth(request, peer, shape, out);
      break;
    default:
      flush(out);
      take_page(path, request, shape, out);
  }
  if (queue_.requests.size() >= kMaxGathered) flush(out);
}

void HttpDoor::take_check(const HttpRequest& request, AnswerShape shape, std::string& out) {
  if (request.method != "POST") {
    flush(out);
    return tell_problem(PathClass::check, 405,
                        fmt::format("/v1/check takes POST, not {}", printable(request.method)), shape, out,
                        "Allow: POST\r\n");
  }
  const auto status_200 = wants_status_200(request.query, queue_.texts);
  if (!status_200) {
    flush(out);
    return tell_problem(PathClass::check, 400, status_200.error().message, shape, out);
  }
  const std::size_t first = queue_.requests.size();
  const auto is_array = reader_.read(request.body, queue_);
  if (!is_array) {
    const Error& error = is_array.error();
    flush(out);
    return tell_problem(PathClass::check, 400, error.message, shape, out);
  }
  pending_.push_back({.kind = *is_array ? Pending::Kind::array : Pending::Kind::check,
                      .shape = shape,
                      .deny_status = *status_200 ? 200 : 429,
                      .first = first,
                      .count = queue_.requests.size() - first});
}

void HttpDoor::take_auth(const HttpRequest& request, std::string_view peer, AnswerShape shape,
                         std::string& out) {
  const std::size_t first = queue_.requests.size();
  const auto answer = read_auth(request, peer, decider_.policy(), options_.max_dimensions, queue_);
  if (!answer) {
    flush(out);
    return tell_problem(PathClass::auth, 400, answer.error().message, shape, out);
  }
  pending_.push_back({.kind = Pending::Kind::auth,
                      .shape = shape,
                      .deny_status = answer->deny_status,
                      .first = first,
                      .count = 1});
}

/// What is answered at once.
void HttpDoor::take_page(PathClass path, const HttpRequest& request, AnswerShape shape, std::string& out) {
  if (path == PathClass::other) {
    return tell_problem(
        path, 404,
        fmt::format("there is no {}; there are POST /v1/check, /v1/auth, /healthz, /readyz and "
                    "/metrics",
                    printable(request.path)),
        shape, out);
  }
  if (request.method != "GET" && !request.is_head()) {
    return tell_problem(path, 405,
                        fmt::format("{} takes GET, not {}", request.path, printable(request.method)), shape,
                        out, "Allow: GET, HEAD\r\n");
  }
  if (!request.query.empty()) {
    return tell_problem(path, 400, fmt::format("{} takes no query", request.path), shape, out);
  }
  decider_.begin();
  if (path == PathClass::metrics) {
    return tell(path, 200, "text/plain; version=0.0.4; charset=utf-8", {}, services_.metrics(), shape, out);
  }
  const bool ready = path == PathClass::healthz || !draining();
  tell(path, ready ? 200 : 503, kPlain, {}, ready ? "ok\n" : "draining\n", shape, out);
}

void HttpDoor::tell(PathClass path, int status, std::string_view content_type, std::string_view fields,
                    std::string_view body, AnswerShape shape, std::string& out) {
  counters().count(path, status);
  append_answer(out, status, content_type, fields, body, date_.at(decider_.now()), shape);
}

void HttpDoor::tell_problem(PathClass path, int status, std::string_view detail, AnswerShape shape,
                            std::string& out, std::string_view fields) {
  decider_.begin();
  write_problem(body_, status, detail);
  tell(path, status, kProblemJson, fields, body_, shape, out);
}

void HttpDoor::refuse(int status, std::string_view sentence, std::string& out) {
  flush(out);
  tell_problem(PathClass::other, status, sentence, {.close = true}, out);
}

void HttpDoor::flush(std::string& out) {
  const Forgetting at_the_end(*this);
  if (pending_.empty()) return;
  decider_.begin();
  decide();
  for (const Pending& pending : pending_) write(pending, out);
}

bool HttpDoor::take_room(std::size_t bytes) {
  const std::size_t before = services_.buffered->fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes <= options_.max_buffered) return true;
  give_back_room(bytes);
  return false;
}

void HttpDoor::forget() {
  pending_.clear();
  queue_.clear();
}

void HttpDoor::decide() {
  requests_.clear();
  for (const QueuedRequest& each : queue_.requests) {
    requests_.push_back({std::span(queue_.dimensions).subspan(each.first, each.count), each.cost});
  }
  told_.resize(requests_.size());
  const auto& queued = queue_.requests;
  for (std::size_t begin = 0; begin < queued.size();) {
    if (queued[begin].peek) {
      told_[begin] = decider_.peek(requests_[begin]);
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < queued.size() && !queued[end].peek) ++end;
    decider_.decide(std::span(requests_).subspan(begin, end - begin),
                    std::span(told_).subspan(begin, end - begin));
    begin = end;
  }
}

void HttpDoor::write(const Pending& pending, std::string& out) {
  if (pending.kind == Pending::Kind::array) return write_array(pending, out);
  const Told& told = told_[pending.first];
  const bool denied = !told.decision.allowed;
  const int status = denied ? pending.deny_status : 200;
  limit_fields_.clear();
  const bool never = denied && !told.decision.retry_after;
  const auto until_more = options_.headers == LimitHeaders::none || never
                              ? std::nullopt
                              : decider_.until_more(requests_[pending.first], told);
  append_limit_fields(limit_fields_, told, until_more, options_.headers);
  body_.clear();
  if (pending.kind == Pending::Kind::auth) {
    return tell(PathClass::auth, status, {}, limit_fields_, body_, pending.shape, out);
  }
  if (status == 200) {
    body_ += '{';
    append_decision_members(body_, told);
    body_ += "}\n";
  } else {
    append_denial_problem(body_, told, status);
  }
  tell(PathClass::check, status, status == 200 ? kJson : kProblemJson, limit_fields_, body_, pending.shape,
       out);
}

void HttpDoor::write_array(const Pending& pending, std::string& out) {
  body_ = '[';
  for (std::size_t i = pending.first; i < pending.first + pending.count; ++i) {
    body_ += i == pending.first ? "{" : ",{";
    append_decision_members(body_, told_[i]);
    body_ += '}';
  }
  body_ += "]\n";
  tell(PathClass::check, 200, kJson, {}, body_, pending.shape, out);
}

}  // namespace weir::server
