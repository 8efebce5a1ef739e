// Server: owns the engine, the clock, the threads, the listeners and the end of all of them.
#pragma once

#include <memory>
#include <string_view>

#include "weir/base/result.h"
#include "weir/server/options.h"

namespace weir::server {

class Server {
 public:
  /// Loads the policy and listens, but answers nothing yet. Errors are sentences.
  static Result<std::unique_ptr<Server>> open(const ServerOptions& options, std::string_view version);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Answers until SIGTERM or SIGINT has come and what was in flight is done, or the time for that is over. A
  /// second signal ends the process at once. SIGHUP reloads the policy. Writes a few lines on standard error.
  void run();

 private:
  class Parts;

 public:
  /// For open() alone: nobody else has Parts.
  explicit Server(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::server
