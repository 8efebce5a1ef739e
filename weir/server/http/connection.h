// HttpConnection: a session on a socket, with its deadlines.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "weir/base/time.h"
#include "weir/server/http/session.h"

namespace weir::server {

class HttpConnections;

/// Bound to one kind of loop: nothing is looked up at run time.
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

/// Lives as long as something is to come of its socket. All of it happens on the thread of its worker.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Socket socket, HttpDoor& door, HttpConnections& all);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  /// Closes what has let its deadline pass. Called about once a second.
  void check_deadline(Nanos now);
  /// The server takes in no more: closes what is idle and has no request in its socket. The rest closes with
  /// its answer.
  void drain();

 private:
  friend class HttpConnections;
  enum class State : std::uint8_t { reading, writing, lingering, closed };

  void read();
  template <class What>
  void go_on(const boost::system::error_code& error, What what);
  void pump();
  bool write_some();
  void wait_to_write();
  void linger();
  void discard();
  void close();
  void set_read_deadline();
  void end_idle();
  bool has_unread() const;
  void let_go();
  int unsent();

  Socket socket_;
  HttpSession session_;
  HttpDoor& door_;
  HttpConnections& all_;
  State state_ = State::reading;
  Nanos deadline_ = 0;
  /// The request whose deadline it is; 0 while idle.
  std::uint64_t timed_request_ = 0;
  /// The request behind which it is idle since the deadline was set.
  std::optional<std::uint64_t> idle_after_;
  /// While it waits to write: bytes that the client has not acknowledged, as of the last look.
  int unsent_ = 0;
  /// Where it stands in HttpConnections.
  std::size_t index_ = 0;
};

/// The connections of one thread.
class HttpConnections {
 public:
  explicit HttpConnections(std::atomic<std::size_t>& total) : total_(total) {}

  /// Deadlines are looked at once a second, and so end up to two seconds late; never early.
  Nanos deadline_in(Nanos wait) const { return saturating_add(now_, saturating_add(wait, kSecond)); }
  void check_deadlines(Nanos now);
  void drain();

 private:
  friend class HttpConnection;
  void add(HttpConnection& connection);
  void remove(const HttpConnection& connection);

  std::vector<HttpConnection*> connections_;
  /// Over all threads.
  std::atomic<std::size_t>& total_;
  /// As of the last check.
  Nanos now_ = 0;
};

}  // namespace weir::server
