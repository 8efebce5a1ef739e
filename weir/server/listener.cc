#include "weir/server/listener.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <string_view>

#include <fmt/format.h>
#include <boost/asio/ip/address.hpp>

#include "weir/server/log.h"

namespace weir::server {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

/// Accepted at most before others have their turn.
constexpr int kMaxAccepted = 64;
constexpr auto kRest = std::chrono::milliseconds(100);

constexpr std::string_view kTooMany =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: 113\r\n"
    "Connection: close\r\n\r\n"
    R"({"type":"about:blank","title":"Service Unavailable","status":503,"detail":"the server has too many connections"})"
    "\n";
static_assert(kTooMany.size() - kTooMany.find("\r\n\r\n") - 4 == 113);

/// What one connection too many is told before it is closed.
std::string_view refusal(DoorKind door) {
  switch (door) {
    case DoorKind::http:
      return kTooMany;
    case DoorKind::resp:
      return "-ERR max number of clients reached\r\n";
    case DoorKind::grpc:
      break;
  }
  return {};
}

/// "127.0.0.1:8080", "[::1]:8080".
std::string text_of(const std::string& address, std::uint16_t port) {
  return address.find(':') == std::string::npos ? fmt::format("{}:{}", address, port)
                                                : fmt::format("[{}]:{}", address, port);
}

}  // namespace

Listener::Listener(DoorKind door, boost::asio::io_context& loop, Shared& shared,
                   std::vector<std::unique_ptr<Worker>>& workers)
    : door_(door), shared_(shared), workers_(workers), acceptor_(loop), timer_(loop) {}

Status Listener::open(const DoorAddress& where) {
  error_code error;
  const tcp::endpoint wanted(boost::asio::ip::make_address(where.address, error), where.port);
  if (!error) acceptor_.open(wanted.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(wanted, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (!error) return Done{};
  const std::string text = text_of(where.address, where.port);
  if (error == boost::asio::error::address_in_use) {
    return Error{
        fmt::format("can't listen on {}: another program does already; choose another port with --{}", text,
                    name_of(door_))};
  }
  return Error{fmt::format("can't listen on {}: {}", text, error.message())};
}

std::string Listener::endpoint() const {
  error_code ignored;
  const tcp::endpoint local = acceptor_.local_endpoint(ignored);
  return fmt::format("{}://{}", name_of(door_), text_of(local.address().to_string(), local.port()));
}

void Listener::start() {
  wait();
}

void Listener::close() {
  error_code ignored;
  timer_.cancel();
  // Who has come this far may have sent a request already. Bounded, for others may go on to come.
  const std::size_t most = shared_.options.max_connections;
  for (std::size_t i = 0; i < most && accept_next() == Accepted::one; ++i) {
  }
  acceptor_.close(ignored);
}

void Listener::wait() {
  acceptor_.async_wait(tcp::acceptor::wait_read, [this](const error_code& error) {
    if (error || !acceptor_.is_open()) return;
    accept_all();
  });
}

void Listener::accept_all() {
  for (int i = 0; i < kMaxAccepted; ++i) {
    if (!accept_one()) return;
  }
  wait();
}

/// Whether to go on at once; if not, it has been seen to that we go on later.
bool Listener::accept_one() {
  switch (accept_next()) {
    case Accepted::none:
      wait();
      return false;
    case Accepted::out_of_descriptors:
      rest();
      return false;
    case Accepted::one:
      break;
  }
  return true;
}

Listener::Accepted Listener::accept_next() {
  const int socket = ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (socket < 0) {
    switch (errno) {
      case EAGAIN:
      case EBADF:
      case EINVAL:
        return Accepted::none;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        return Accepted::out_of_descriptors;
      default:  // of one connection that is gone already
        return Accepted::one;
    }
  }
  if (shared_.connections.fetch_add(1, std::memory_order_relaxed) >= shared_.options.max_connections) {
    turn_away(socket);
    return Accepted::one;
  }
  error_code ignored;
  try {
    workers_[next_++ % workers_.size()]->serve(door_, acceptor_.local_endpoint(ignored).protocol(), socket);
  } catch (const std::exception&) {  // no memory to hand it over
    ::close(socket);
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  }
  return Accepted::one;
}

void Listener::turn_away(int socket) {
  shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  ConnectionCounters& counters = counters_.connections(door_);
  counters.accepted.add();
  counters.refused.add();
  counters.closed.add();
  if (door_ == DoorKind::http) counters_.http.count(PathClass::other, 503);
  const std::string_view text = refusal(door_);
  [[maybe_unused]] const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket, SHUT_WR);
  // What has come already must be read, or closing would take the answer back.
  std::array<char, 4096> block{};
  [[maybe_unused]] const auto read = ::recv(socket, block.data(), block.size(), MSG_DONTWAIT);
  ::close(socket);
}

/// The system has no more descriptors or memory: asking at once again would only burn time.
void Listener::rest() {
  const Nanos now = read_time_since_boot();
  if (!told_of_descriptors_ || now - *told_of_descriptors_ >= kMinute) {
    told_of_descriptors_ = now;
    log_line("no new connection can be accepted: the system has no more file descriptors or memory for us");
  }
  timer_.expires_after(kRest);
  timer_.async_wait([this](const error_code& error) {
    if (!error && acceptor_.is_open()) accept_all();
  });
}

}  // namespace weir::server
