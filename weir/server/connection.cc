#include "weir/server/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <exception>
#include <utility>

namespace weir::server {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// How long a client may take to notice that we have said the last word. Closing at once would, while it
/// still sends, take from it what we said.
constexpr Nanos kLinger = 2 * kSecond;

}  // namespace

std::string peer_of(const Socket& socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  return error ? std::string() : peer.address().to_string();
}

Connection::Connection(Socket socket, std::unique_ptr<Session> session, const ConnectionOptions& options,
                       ConnectionCounters& counters, Connections& all)
    : socket_(std::move(socket)),
      session_(std::move(session)),
      options_(options),
      counters_(counters),
      all_(all) {
  all_.add(*this);
  counters_.accepted.add();
}

Connection::~Connection() {
  all_.remove(*this);
  counters_.closed.add();
}

void Connection::start() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  set_read_deadline();
  read();
}

void Connection::set_read_deadline() {
  if (!session_->is_within_request()) {
    // Empty lines are no requests, and win no time.
    if (idle_after_ == session_->begun()) return;
    idle_after_ = session_->begun();
    timed_request_ = 0;
    deadline_ = all_.deadline_in(options_.idle_timeout);
  } else if (timed_request_ != session_->begun()) {
    timed_request_ = session_->begun();
    deadline_ = all_.deadline_in(options_.request_timeout);
  }
}

/// Does `what` unless the socket failed or is closed. What one connection can't have, memory above all, ends
/// that connection alone.
template <class What>
void Connection::go_on(const error_code& error, What what) {
  if (state_ == State::closed) return;
  if (error) return close();
  try {
    what();
  } catch (const std::exception&) {
    close();
  }
}

void Connection::read() {
  state_ = State::reading;
  const std::span<char> room = session_->room();
  socket_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t count) {
                            if (error == boost::asio::error::operation_aborted) return self->end_idle();
                            self->go_on(error, [&] {
                              self->counters_.bytes_read.add(count);
                              self->session_->received(count, self->all_.draining() && self->has_unread());
                              self->pump();
                            });
                          });
}

/// The server drains, and this connection was idle. A request that came before that is answered.
void Connection::end_idle() {
  go_on({}, [&] {
    if (has_unread()) return read();
    session_->say_goodbye();
    session_->output().empty() ? close() : pump();
  });
}

bool Connection::has_unread() const {
  error_code error;
  const std::size_t bytes = socket_.available(error);
  return !error && bytes > 0;
}

/// Sends what there is to send, and then reads on.
void Connection::pump() {
  for (;;) {
    if (!session_->output().empty() && !write_some()) return;
    if (session_->is_closing()) return linger();
    if (!session_->is_held_up()) break;
    session_->resume();
  }
  if (all_.draining() && !session_->is_within_request() && !has_unread()) return linger();
  set_read_deadline();
  read();
}

/// Whether all of the output went.
bool Connection::write_some() {
  while (!session_->output().empty()) {
    const std::string_view output = session_->output();
    error_code error;
    const std::size_t count = socket_.write_some(boost::asio::buffer(output.data(), output.size()), error);
    if (error == boost::asio::error::would_block || error == boost::asio::error::try_again) {
      wait_to_write();
      return false;
    }
    if (error) {
      close();
      return false;
    }
    counters_.bytes_written.add(count);
    session_->sent(count);
  }
  return true;
}

/// What the client's side has not taken yet: of a large buffer of the system's, too, which has room again
/// only when much of it has gone.
int Connection::unsent() {
  int bytes = 0;
  return ::ioctl(socket_.native_handle(), SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

void Connection::wait_to_write() {
  state_ = State::writing;
  unsent_ = unsent();
  deadline_ = all_.deadline_in(options_.write_timeout);
  timed_request_ = 0;
  idle_after_.reset();
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const error_code& error) {
    self->go_on(error, [&] { self->pump(); });
  });
}

void Connection::linger() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  state_ = State::lingering;
  deadline_ = all_.deadline_in(kLinger);
  discard();
}

/// Reads until the client closes, too.
void Connection::discard() {
  const std::span<char> room = session_->room();
  socket_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            self->go_on(error, [&] { self->discard(); });
                          });
}

void Connection::close() {
  state_ = State::closed;
  error_code ignored;
  socket_.close(ignored);
}

void Connection::check_deadline(Nanos now) {
  if (state_ == State::closed) return;
  if (state_ == State::writing) {
    const int before = std::exchange(unsent_, unsent());
    if (unsent_ < before) deadline_ = all_.deadline_in(options_.write_timeout);
  }
  if (now < deadline_) return;
  try {
    let_go();
  } catch (const std::exception&) {
    close();
  }
}

void Connection::let_go() {
  if (state_ != State::lingering) counters_.timeouts.add();
  if (state_ == State::reading && session_->is_within_request()) {
    session_->time_out();
    error_code ignored;
    const std::string_view output = session_->output();
    session_->sent(socket_.write_some(boost::asio::buffer(output.data(), output.size()), ignored));
    socket_.shutdown(Socket::shutdown_send, ignored);
  }
  close();
}

/// What was read already comes to the handler all the same; else it is told that the reading was aborted.
void Connection::drain() {
  error_code ignored;
  if (state_ == State::reading && !session_->is_within_request()) socket_.cancel(ignored);
}

void Connections::add(Connection& connection) {
  connection.index_ = connections_.size();
  connections_.push_back(&connection);
}

void Connections::remove(const Connection& connection) {
  connections_[connection.index_] = connections_.back();
  connections_[connection.index_]->index_ = connection.index_;
  connections_.pop_back();
  total_.fetch_sub(1, std::memory_order_relaxed);
}

void Connections::check_deadlines(Nanos now) {
  now_ = now;
  for (Connection* connection : connections_) connection->check_deadline(now);
}

void Connections::drain() {
  for (Connection* connection : connections_) connection->drain();
}

}  // namespace weir::server
