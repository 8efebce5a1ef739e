#include "weir/server/worker.h"

#include <unistd.h>

#include <boost/asio/post.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "weir/server/http/session.h"

namespace weir::server {

using boost::asio::ip::tcp;

Worker::Worker(Shared& shared)
    : shared_(shared),
      decider_(shared.engine, shared.clock, counters_),
      http_(shared.options.http, decider_, {shared.metrics, &shared.draining, &shared.buffered}),
      connections_(shared.connections, shared.draining),
      // Sockets and timers are this thread's alone; only posting needs a lock.
      loop_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      work_(loop_.get_executor()),
      timer_(loop_) {}

Worker::~Worker() {
  stop();
}

void Worker::start() {
  tick();
  thread_ = std::thread([this] { loop_.run(); });
}

/// One timer for all deadlines: none is armed for a request.
void Worker::tick() {
  connections_.check_deadlines(read_time_since_boot());
  timer_.expires_after(std::chrono::seconds(1));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Worker::serve(DoorKind door, tcp protocol, int socket) {
  boost::asio::post(loop_, [this, door, protocol, socket] {
    boost::system::error_code error;
    Socket taken(loop_.get_executor());
    taken.assign(protocol, socket, error);
    if (error) {
      ::close(socket);
      shared_.connections.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    begin(door, std::move(taken));
  });
}

std::unique_ptr<Session> Worker::make_session(DoorKind door, std::string peer) {
  switch (door) {
    case DoorKind::http:
      return std::make_unique<HttpSession>(http_, std::move(peer));
    case DoorKind::resp:
    case DoorKind::grpc:
      break;
  }
  throw std::invalid_argument("there is no such door");
}

const ConnectionOptions& Worker::connection_options(DoorKind /*door*/) const {
  return shared_.options.http.connection;
}

/// What one connection can't have, memory above all, ends that connection alone.
void Worker::begin(DoorKind door, Socket socket) {
  std::shared_ptr<Connection> connection;
  try {
    auto session = make_session(door, peer_of(socket));
    connection = std::make_shared<Connection>(std::move(socket), std::move(session), connection_options(door),
                                              counters_.connections(door), connections_);
  } catch (const std::exception&) {
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  try {
    connection->start();
  } catch (const std::exception&) {
    // It goes with the last that knows of it.
    return;
  }
}

void Worker::drain() {
  boost::asio::post(loop_, [this] { connections_.drain(); });
}

void Worker::stop() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace weir::server
