// What a server is told: where to listen, how many threads, how much of everything it takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "weir/base/time.h"

namespace weir::server {

/// Which headers tell a client of its limit.
enum class LimitHeaders : std::uint8_t {
  /// RateLimit-Policy and RateLimit.
  ietf,
  /// Those, and X-RateLimit-Limit, -Remaining and -Reset.
  legacy,
  none,
};

/// The protocols, each with a listener of its own.
enum class DoorKind : std::uint8_t { http, resp, grpc };
/// As addresses, flags and metrics name them.
inline constexpr std::array<const char*, 3> kDoorNames{"http", "resp", "grpc"};
constexpr const char* name_of(DoorKind door) {
  return kDoorNames[static_cast<std::size_t>(door)];
}

/// An address and a port; port 0 lets the system choose.
struct DoorAddress {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  /// Asked for by name: when it can't be had, the server does not start.
  bool required = false;
};

/// How long what a client does may take.
struct ConnectionOptions {
  /// From the first byte of a request to its last.
  Nanos request_timeout = 10 * kSecond;
  /// Without a request.
  Nanos idle_timeout = 60 * kSecond;
  /// Without a byte taken of an answer, by the client itself: what the system holds for it does not count.
  Nanos write_timeout = 10 * kSecond;
};

struct HttpOptions {
  LimitHeaders headers = LimitHeaders::ietf;
  /// Request line and header fields of one request; also the trailer of a chunked body.
  std::size_t max_head = std::size_t{16} << 10U;
  /// Header fields of one request.
  std::size_t max_fields = 100;
  std::size_t max_body = std::size_t{1} << 20U;
  /// Requests in one array.
  std::size_t max_batch = 1000;
  /// Dimensions of one request.
  std::size_t max_dimensions = 64;
  /// Answers that may wait for a client to take them, in bytes. With more, nothing is read from it.
  std::size_t max_pending = std::size_t{256} << 10U;
  /// Requests above 16K of which not all is here yet, those of all connections together, in bytes.
  std::size_t max_buffered = std::size_t{256} << 20U;
  ConnectionOptions connection;
};

struct ServerOptions {
  /// A file or a folder.
  std::string policy;
  /// The doors that are open.
  std::map<DoorKind, DoorAddress> doors{{DoorKind::http, {.port = 8080, .required = true}}};
  /// 0: one for each processor.
  unsigned threads = 0;
  std::size_t max_keys = 1'000'000;
  std::size_t max_memory = std::size_t{1} << 30U;
  /// Over all threads and doors. A connection beyond is told so and closed.
  std::size_t max_connections = 10'000;
  /// How long what is in flight may take after SIGTERM.
  Nanos drain = 10 * kSecond;
  HttpOptions http;
};

}  // namespace weir::server
