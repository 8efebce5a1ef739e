#include "weir/server/http/parser.h"

#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "weir/base/text.h"
#include "weir/policy/address.h"

namespace weir::server {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kHeadEnd = "\r\n\r\n";

/// Letters, digits and what else names have; %XX.
bool is_host_name(std::string_view name) {
  constexpr std::string_view kOthers = "-._~!$&'()*+;=";
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '%') {
      if (i + 2 >= name.size() || !hex_digit(name[i + 1]) || !hex_digit(name[i + 2])) return false;
      i += 2;
    } else if (!is_digit(c) && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') &&
               kOthers.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

/// uri-host [ ":" port ] of RFC 9110, 7.2. It may be empty.
bool is_host(std::string_view value) {
  std::string_view port;
  if (value.starts_with('[')) {
    const std::size_t end = value.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view inside = value.substr(1, end - 1);
    if (inside.find(':') == std::string_view::npos || !parse_address(inside)) return false;
    port = value.substr(end + 1);
  } else {
    const std::size_t colon = std::min(value.find(':'), value.size());
    if (!is_host_name(value.substr(0, colon))) return false;
    port = value.substr(colon);
  }
  if (port.empty() || port == ":") return true;
  const auto number = parse_uint(port.substr(1));
  return port.front() == ':' && number && *number <= std::numeric_limits<std::uint16_t>::max();
}

/// The request line ends in a version of HTTP, only not one that we speak.
bool has_other_version(std::string_view message) {
  const std::string_view line = message.substr(0, message.find("\r\n"));
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view version = line.substr(space + 1);
  return version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
         is_digit(version[7]) && version != "HTTP/1.1" && version != "HTTP/1.0";
}

/// How much of a target is scheme and authority; 0 of one that has none, and nothing where they are no good.
std::optional<std::size_t> origin_size(std::string_view target) {
  const std::size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return 0;
  const std::string_view name = target.substr(0, scheme);
  if (!same_name(name, "http") && !same_name(name, "https")) return std::nullopt;
  const std::size_t begin = scheme + 3;
  const std::size_t end = std::min(target.size(), target.find_first_of("/?", begin));
  const std::string_view authority = target.substr(begin, end - begin);
  if (authority.empty() || authority.front() == ':' || !is_host(authority)) return std::nullopt;
  return end;
}

}  // namespace

HttpParser::HttpParser(const HttpOptions& options, std::vector<FieldAt>& fields)
    : options_(options), fields_(fields) {
  fields_.clear();
  eager(true);
  header_limit(static_cast<std::uint32_t>(options.max_head) + 1);  // we count it ourselves
  body_limit(options.max_body);
}

HttpParser::Step HttpParser::advance(char* message, std::size_t& size) {
  message_ = message;
  message_size_ = size;
  if (head_end_ == 0) {
    const Step step = advance_head(size);
    if (step != Step::done) return step;
  }
  return is_done() ? Step::done : advance_body(size);
}

/// Looked for at once: a head of only such lines would never end.
bool HttpParser::has_bare_line_feed(std::string_view head) {
  while (lines_searched_ < head.size()) {
    const std::size_t feed = head.find('\n', lines_searched_);
    lines_searched_ = std::min(head.size(), feed);
    if (feed == std::string_view::npos) break;
    if (feed == 0 || head[feed - 1] != '\r') return true;
    ++lines_searched_;
  }
  return false;
}

/// Beast sees the head when all of it is there: what it then says does not depend on how it came.
HttpParser::Step HttpParser::advance_head(std::size_t size) {
  const std::string_view seen(message_, std::min(size, options_.max_head));
  if (!is_token_char(seen.front())) return refuse(400, "this is not HTTP; a request begins with its method");
  // All of it but its last byte may have come before.
  constexpr std::size_t kBefore = kHeadEnd.size() - 1;
  const std::size_t found = seen.find(kHeadEnd, std::max(lines_searched_, kBefore) - kBefore);
  if (has_bare_line_feed(seen.substr(0, found)))
    return refuse(400, "a line of the head ends in a bare line feed");
  if (found == std::string_view::npos) {
    if (seen.size() < options_.max_head) return Step::need_more;
    if (seen.find("\r\n") == std::string_view::npos) return refuse(414, "the request line is too long");
    return refuse(431, "the header fields are too large");
  }
  head_end_ = found + kHeadEnd.size();
  body_end_ = head_end_;
  Error error;
  parsed_ = put(boost::asio::const_buffer(message_, head_end_), error);
  if (error && error != http::error::need_more) return refuse(error);
  // Both of us must have found the same end.
  if (!is_header_done() || parsed_ != head_end_) return refuse(400, "the head of the request is malformed");
  return Step::done;
}

HttpParser::Step HttpParser::advance_body(std::size_t& size) {
  while (parsed_ < size && !is_done()) {
    // A window, so that what is read at once does not depend on how it came.
    const std::size_t window = std::min(size - parsed_, options_.max_head);
    Error error;
    const std::size_t body_before = body_end_;
    const std::size_t taken = put(boost::asio::const_buffer(message_ + parsed_, window), error);
    parsed_ += taken;
    framing_ += taken - (body_end_ - body_before);
    if (error && error != http::error::need_more) return refuse(error);
    if (has_too_much_framing())
      return refuse(400, "the chunks of the body are small beside what frames them");
    if (taken > 0) continue;
    if (window == options_.max_head) return refuse(431, "the head or the trailer of a chunk is too large");
    break;
  }
  if (is_done()) return Step::done;
  if (parsed_ != body_end_) {
    std::memmove(message_ + body_end_, message_ + parsed_, size - parsed_);
    size -= parsed_ - body_end_;
    parsed_ = body_end_;
  }
  return Step::need_more;
}

/// Chunks of a byte each, with their lengths and line ends, have five times as much.
bool HttpParser::has_too_much_framing() const {
  constexpr std::size_t kFramingOfByte = 16;
  return framing_ > options_.max_head + kFramingOfByte * (body_end_ - head_end_);
}

/// Puts a piece of the body behind those before it.
std::size_t HttpParser::keep(Text body) {
  char* const to = message_ + body_end_;
  if (to != body.data()) std::memmove(to, body.data(), body.size());
  body_end_ += body.size();
  return body.size();
}

Stretch HttpParser::stretch(Text text) const {
  return {static_cast<std::size_t>(text.data() - message_), text.size()};
}

void HttpParser::on_request_impl(http::verb /*verb*/, Text method, Text target, int version, Error& error) {
  method_ = stretch(method);
  target_ = stretch(target);
  http_1_0_ = version == 10;
  const std::string_view text = target_.in(message_);
  const auto origin = origin_size(text);
  if (!origin) return refuse_in_callback(400, "the target of the request names no host as it should", error);
  if (*origin == 0 && !text.starts_with('/') && text != "*") {
    refuse_in_callback(400, "the target of a request begins with /", error);
  }
}

/// A quoted extension may hold anything but what others take for the end of a line or of a string.
void HttpParser::on_chunk_header_impl(std::uint64_t /*size*/, Text extension, Error& error) {
  const bool bad = std::any_of(extension.begin(), extension.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
  if (bad) refuse_in_callback(400, "a chunk of the body has a control character in its first line", error);
}

/// Whether the line of the field goes on in the next. Beast unfolds; if nothing stands in the first line, one
/// can't tell by the value.
bool HttpParser::is_folded(Text name) const {
  const char* const end = message_ + message_size_;
  const char* const behind = name.data() + name.size();
  const auto* const line_end =
      static_cast<const char*>(std::memchr(behind, '\r', static_cast<std::size_t>(end - behind)));
  return line_end != nullptr && end - line_end > 2 && (line_end[2] == ' ' || line_end[2] == '\t');
}

void HttpParser::on_field_impl(http::field id, Text name, Text value, Error& error) {
  if (is_folded(name)) {
    return refuse_in_callback(400, "a header field goes on in the next line, which HTTP no longer allows",
                              error);
  }
  if (is_header_done()) return;  // a trailer: nothing that is decided on may come this late
  if (fields_.size() == options_.max_fields) {
    return refuse_in_callback(431, "the request has too many header fields", error);
  }
  const std::less<const char*> before;
  if (before(value.data(), message_) || !before(value.data(), message_ + head_end_)) {
    // Beast has put the lines together, elsewhere.
    return refuse_in_callback(400, "a header field goes on in the next line, which HTTP no longer allows",
                              error);
  }
  fields_.push_back({stretch(name), stretch(value)});
  check_field(id, fields_.back().value.in(message_), error);
}

void HttpParser::check_field(http::field id, std::string_view value, Error& error) {
  switch (id) {
    case http::field::host:
      if (++hosts_ > 1) return refuse_in_callback(400, "the request has more than one Host", error);
      if (!is_host(value)) return refuse_in_callback(400, "the Host of the request is malformed", error);
      break;
    case http::field::content_length:
      if (++lengths_ > 1) {
        return refuse_in_callback(400, "the request has more than one Content-Length", error);
      }
      if (!parse_uint(value)) return refuse_in_callback(400, "Content-Length is not a number", error);
      break;
    case http::field::transfer_encoding:
      if (chunked_) return refuse_in_callback(400, "the request has more than one Transfer-Encoding", error);
      if (!same_name(value, "chunked")) {
        return refuse_in_callback(501, "the only Transfer-Encoding that is understood is chunked", error);
      }
      chunked_ = true;
      break;
    case http::field::expect:
      if (!same_name(value, "100-continue")) {
        return refuse_in_callback(417, "the only Expect that is understood is 100-continue", error);
      }
      expects_continue_ = true;
      break;
    default:
      break;
  }
}

void HttpParser::on_header_impl(Error& error) {
  keep_alive_ = basic_parser::keep_alive();
  if (http_1_0_ && chunked_) return refuse_in_callback(400, "HTTP/1.0 has no Transfer-Encoding", error);
  if (!http_1_0_ && hosts_ == 0) return refuse_in_callback(400, "the request has no Host", error);
}

void HttpParser::refuse_in_callback(int status, std::string_view sentence, Error& error) {
  refusal_ = Refusal{status, sentence};
  error = http::error::bad_value;
}

HttpParser::Step HttpParser::refuse(int status, std::string_view sentence) {
  refusal_ = Refusal{status, sentence};
  return Step::refused;
}

HttpParser::Step HttpParser::refuse(const Error& error) {
  if (refusal_) return Step::refused;
  if (error == http::error::body_limit) return refuse(413, "the body is too large");
  if (error == http::error::bad_version) {
    return has_other_version({message_, head_end_}) ? refuse(505, "the version is not HTTP/1.1 or HTTP/1.0")
                                                    : refuse(400, "the request line is malformed");
  }
  if (error == http::error::bad_method || error == http::error::bad_target) {
    return refuse(400, "the request line is malformed");
  }
  if (error == http::error::bad_content_length && lengths_ == 0 && !chunked_) {
    return refuse(400, "Content-Length is not a number");
  }
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length ||
      error == http::error::bad_transfer_encoding) {
    return refuse(400, "the request says in more than one way how long its body is");
  }
  if (error == http::error::bad_chunk || error == http::error::bad_chunk_extension) {
    return refuse(400, "the chunks of the body are malformed");
  }
  return refuse(400, is_header_done() ? "the chunks or the trailer of the body are malformed"
                                      : "a header field is malformed");
}

bool HttpParser::take_continue() {
  const bool wanted = head_end_ != 0 && expects_continue_ && !http_1_0_ && !is_done();
  expects_continue_ = expects_continue_ && !wanted;
  return wanted;
}

HttpRequest HttpParser::request(const char* message, std::vector<HttpField>& fields) const {
  fields.clear();
  for (const FieldAt& field : fields_) fields.push_back({field.name.in(message), field.value.in(message)});
  std::string_view target = target_.in(message);
  target.remove_prefix(origin_size(target).value_or(0));
  const std::size_t question = target.find('?');
  HttpRequest request;
  request.method = method_.in(message);
  request.path = target.substr(0, question);
  if (request.path.empty()) request.path = "/";
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  request.fields = fields;
  request.body = {message + head_end_, body_end_ - head_end_};
  request.http_1_0 = http_1_0_;
  request.keep_alive = keep_alive_;
  return request;
}

}  // namespace weir::server
