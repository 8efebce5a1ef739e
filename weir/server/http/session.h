// HttpSession: one connection's machine. Bytes in, answers out; how the bytes come in pieces changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/server/http/door.h"
#include "weir/server/http/parser.h"

namespace weir::server {

class HttpSession {
 public:
  /// `peer`: the address of who connects.
  HttpSession(HttpDoor& door, std::string peer) : door_(door), peer_(std::move(peer)) {}

  ~HttpSession() {
    give_back(room_taken_);
    give_back(output_room_);
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  /// Where the next bytes are to be put; never empty.
  std::span<char> room();
  /// That many bytes were put there. Requests that are complete are answered. `more_came`: the socket has
  /// more already; while the server drains, it is then not yet said that the connection closes.
  void received(std::size_t count, bool more_came = false);
  /// Goes on with what was received when so many answers were waiting that no more were made.
  void resume() { run(); }

  /// Answers to be sent, and how many bytes of them were.
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t count);

  /// Requests may be complete that are not answered yet: see resume().
  bool is_held_up() const { return held_up_; }
  /// Once the output is sent, the connection ends.
  bool is_closing() const { return closing_; }
  /// Some of a request is here, but not all of it.
  bool is_within_request() const { return filled_ > 0 && !closing_; }
  /// Requests begun so far: tells one that does not end from many.
  std::uint64_t begun() const { return begun_; }
  /// The rest of a request did not come in time: says so, and closes.
  void time_out();

 private:
  static constexpr std::size_t kLeastBuffer = 4096;
  /// What an idle connection may keep.
  static constexpr std::size_t kIdleBuffer = std::size_t{16} << 10U;

  void run();
  bool step();
  bool begin_request();
  void finish_request();
  void refuse(int status, std::string_view sentence);
  void tidy();
  std::size_t next_capacity() const;
  bool may_grow();
  bool may_keep_output();
  void give_back(std::size_t& room);
  void grow();

  HttpDoor& door_;
  std::string peer_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  /// What of it the door has given, which knows of all connections. Small buffers are not asked for.
  std::size_t room_taken_ = 0;
  /// The request that is being read begins at begin_; what has come ends at filled_.
  std::size_t begin_ = 0;
  std::size_t filled_ = 0;
  std::vector<FieldAt> fields_;
  std::optional<HttpParser> parser_;
  std::string output_;
  std::size_t sent_ = 0;
  /// What of the output the door has given room for: single answers may be large.
  std::size_t output_room_ = 0;
  bool more_came_ = false;
  std::uint64_t begun_ = 0;
  bool closing_ = false;
  bool held_up_ = false;
};

}  // namespace weir::server
