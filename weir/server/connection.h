// Connection: a session on a socket, with its deadlines. The same for every door.
#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/time.h"
#include "weir/server/metrics/counters.h"
#include "weir/server/options.h"
#include "weir/server/session.h"

namespace weir::server {

class Connections;

/// Bound to one kind of loop: nothing is looked up at run time.
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

/// The address of who is at the other end, without port; empty when it has gone already.
std::string peer_of(const Socket& socket);

/// Lives as long as something is to come of its socket. All of it happens on the thread of its worker.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, std::unique_ptr<Session> session, const ConnectionOptions& options,
             ConnectionCounters& counters, Connections& all);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  /// Closes what has let its deadline pass. Called about once a second.
  void check_deadline(Nanos now);
  /// The server takes in no more: closes what is idle and has no request in its socket. The rest closes with
  /// its answer.
  void drain();

 private:
  friend class Connections;
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
  std::unique_ptr<Session> session_;
  const ConnectionOptions& options_;
  ConnectionCounters& counters_;
  Connections& all_;
  State state_ = State::reading;
  Nanos deadline_ = 0;
  /// The request whose deadline it is; 0 while idle.
  std::uint64_t timed_request_ = 0;
  /// The request behind which it is idle since the deadline was set.
  std::optional<std::uint64_t> idle_after_;
  /// While it waits to write: bytes that the client has not acknowledged, as of the last look.
  int unsent_ = 0;
  /// Where it stands in Connections.
  std::size_t index_ = 0;
};

/// The connections of one thread.
class Connections {
 public:
  Connections(std::atomic<std::size_t>& total, const std::atomic<bool>& draining)
      : total_(total), draining_(draining) {}

  bool draining() const { return draining_.load(std::memory_order_relaxed); }

  /// Deadlines are looked at once a second, and so end up to two seconds late; never early.
  Nanos deadline_in(Nanos wait) const { return saturating_add(now_, saturating_add(wait, kSecond)); }
  void check_deadlines(Nanos now);
  void drain();

 private:
  friend class Connection;
  void add(Connection& connection);
  void remove(const Connection& connection);

  std::vector<Connection*> connections_;
  /// Over all threads.
  std::atomic<std::size_t>& total_;
  const std::atomic<bool>& draining_;
  /// As of the last check.
  Nanos now_ = 0;
};

}  // namespace weir::server
