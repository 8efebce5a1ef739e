// Session: one connection's machine, whatever it speaks. Bytes in, answers out; it knows no socket, and how
// the bytes come in pieces changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weir::server {

class Session {
 public:
  Session() = default;
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Where the next bytes are to be put; never empty.
  virtual std::span<char> room() = 0;
  /// That many bytes were put there. Requests that are complete are answered. `more_came`: the socket has
  /// more already; while the server drains, it is then not yet said that the connection closes.
  virtual void received(std::size_t count, bool more_came) = 0;
  /// Goes on with what was received when so many answers were waiting that no more were made.
  virtual void resume() = 0;
  /// The server drains, nothing is in flight, and the connection will be closed once the output is sent: the
  /// last word, where the protocol has one.
  virtual void say_goodbye() {}

  /// Answers to be sent, and how many bytes of them were.
  virtual std::string_view output() const = 0;
  virtual void sent(std::size_t count) = 0;

  /// Requests may be complete that are not answered yet: see resume().
  virtual bool is_held_up() const = 0;
  /// Once the output is sent, the connection ends.
  virtual bool is_closing() const = 0;
  /// Some of a request is here, but not all of it.
  virtual bool is_within_request() const = 0;
  /// Requests begun so far: tells one that does not end from many.
  virtual std::uint64_t begun() const = 0;
  /// The rest of a request did not come in time: says so, and closes.
  virtual void time_out() = 0;
};

}  // namespace weir::server
