// Listener: accepts the connections of one door and hands them round the workers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "weir/base/result.h"
#include "weir/server/worker.h"

namespace weir::server {

class Listener {
 public:
  Listener(DoorKind door, boost::asio::io_context& loop, Shared& shared,
           std::vector<std::unique_ptr<Worker>>& workers);

  DoorKind door() const { return door_; }
  /// Errors are sentences: the port is taken, the address is not this machine's.
  Status open(const DoorAddress& where);
  /// "http://127.0.0.1:8080", "resp://[::1]:6380", with the real port.
  std::string endpoint() const;
  void start();
  /// Of connections that were turned away.
  const ThreadCounters& counters() const { return counters_; }
  /// Accepts who waits already, and no more.
  void close();

 private:
  void wait();
  void accept_all();
  enum class Accepted : std::uint8_t { one, none, out_of_descriptors };
  bool accept_one();
  Accepted accept_next();
  void turn_away(int socket);
  void rest();

  DoorKind door_;
  Shared& shared_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer timer_;
  std::size_t next_ = 0;
  ThreadCounters counters_;
  /// When it was last said that there are no descriptors; no more than once a minute.
  std::optional<Nanos> told_of_descriptors_;
};

}  // namespace weir::server
