// One HTTP/1 message, out of bytes that come in pieces: Boost.Beast's parser, and what it lets pass that two
// servers in a row could read differently (request smuggling) refused.
#pragma once

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "weir/server/http/head.h"
#include "weir/server/options.h"

namespace weir::server {

/// Why a message is not taken: nothing behind it can be read, either.
struct Refusal {
  int status = 400;
  std::string_view sentence;
};

/// A stretch of a message, counted from the message's first byte: messages move.
struct Stretch {
  std::size_t at = 0;
  std::size_t size = 0;
  std::string_view in(const char* message) const { return {message + at, size}; }
};
struct FieldAt {
  Stretch name;
  Stretch value;
};

class HttpParser final : private boost::beast::http::basic_parser<true> {
 public:
  enum class Step : std::uint8_t { need_more, done, refused };

  /// `fields` is room that the parser works in.
  HttpParser(const HttpOptions& options, std::vector<FieldAt>& fields);

  /// Reads on. `message` has all bytes since the message's first one, and perhaps the begin of the next;
  /// `size` counts them, and may become less: what frames a chunked body is taken out, so that head and body
  /// stand together.
  Step advance(char* message, std::size_t& size);

  /// Where the message ends. REQUIRES: done.
  std::size_t end() const { return parsed_; }
  /// Views of the message. REQUIRES: done.
  HttpRequest request(const char* message, std::vector<HttpField>& fields) const;
  /// REQUIRES: refused.
  const Refusal& refusal() const { return *refusal_; }
  /// Once, when the head is there and the client waits for leave to send the body.
  bool take_continue();

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  void on_request_impl(boost::beast::http::verb verb, Text method, Text target, int version,
                       Error& error) override;
  void on_response_impl(int, Text, int, Error&) override {}
  void on_field_impl(boost::beast::http::field id, Text name, Text value, Error& error) override;
  void on_header_impl(Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text body, Error&) override { return keep(body); }
  void on_chunk_header_impl(std::uint64_t, Text extension, Error& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error&) override { return keep(body); }
  void on_finish_impl(Error&) override {}

  Step advance_head(std::size_t size);
  Step advance_body(std::size_t& size);
  bool has_too_much_framing() const;
  Step refuse(int status, std::string_view sentence);
  Step refuse(const Error& error);
  void refuse_in_callback(int status, std::string_view sentence, Error& error);
  void check_field(boost::beast::http::field id, std::string_view value, Error& error);
  bool has_bare_line_feed(std::string_view head);
  bool is_folded(Text name) const;
  std::size_t keep(Text body);
  Stretch stretch(Text text) const;

  const HttpOptions& options_;
  std::vector<FieldAt>& fields_;
  char* message_ = nullptr;
  std::size_t message_size_ = 0;
  /// How far the ends of lines, and of the head, have been looked for.
  std::size_t lines_searched_ = 0;
  std::size_t head_end_ = 0;
  std::size_t parsed_ = 0;
  std::size_t body_end_ = 0;
  /// What has come of chunks that is not the body.
  std::size_t framing_ = 0;
  Stretch method_;
  Stretch target_;
  unsigned hosts_ = 0;
  unsigned lengths_ = 0;
  bool chunked_ = false;
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
  std::optional<Refusal> refusal_;
};

}  // namespace weir::server
