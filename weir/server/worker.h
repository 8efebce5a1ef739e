// Worker: one thread with its own event loop, connections, trace and counters. What other threads want of it
// they post to its loop.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "weir/server/connection.h"
#include "weir/server/decider.h"
#include "weir/server/http/door.h"

namespace weir::server {

/// What the workers share.
struct Shared {
  Engine& engine;
  const ServerClock& clock;
  const ServerOptions& options;
  std::function<std::string()> metrics;
  std::atomic<bool> draining{false};
  /// Connections of all workers, those included that are on their way to one.
  std::atomic<std::size_t> connections{0};
  /// Bytes of large requests that are not complete.
  std::atomic<std::size_t> buffered{0};
};

class Worker {
 public:
  explicit Worker(Shared& shared);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start();
  /// Takes over an accepted socket, which is counted in Shared::connections already. From any thread.
  void serve(DoorKind door, boost::asio::ip::tcp protocol, int socket);
  /// From any thread.
  void drain();
  /// Ends the loop, whatever it is at, and waits for the thread.
  void stop();

  const ThreadCounters& counters() const { return counters_; }

 private:
  void tick();
  void begin(DoorKind door, Socket socket);
  std::unique_ptr<Session> make_session(DoorKind door, std::string peer);
  const ConnectionOptions& connection_options(DoorKind door) const;

  Shared& shared_;
  ThreadCounters counters_;
  Decider decider_;
  HttpDoor http_;
  Connections connections_;
  /// After what its handlers use: they end with it.
  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  std::thread thread_;
};

}  // namespace weir::server
