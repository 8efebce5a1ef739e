#include "weir/server/worker.h"

#include <unistd.h>

#include <boost/asio/post.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <utility>

namespace weir::server {

using boost::asio::ip::tcp;

Worker::Worker(Shared& shared)
    : shared_(shared),
      decider_(shared.engine, shared.clock, counters_),
      door_(shared.options.http, decider_, {shared.metrics, &shared.draining, &shared.buffered}),
      connections_(shared.connections),
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

void Worker::serve(tcp protocol, int socket) {
  boost::asio::post(loop_, [this, protocol, socket] {
    boost::system::error_code error;
    Socket taken(loop_.get_executor());
    taken.assign(protocol, socket, error);
    if (error) {
      ::close(socket);
      shared_.connections.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    begin(std::move(taken));
  });
}

/// What one connection can't have, memory above all, ends that connection alone.
void Worker::begin(Socket socket) {
  std::shared_ptr<HttpConnection> connection;
  try {
    connection = std::make_shared<HttpConnection>(std::move(socket), door_, connections_);
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
