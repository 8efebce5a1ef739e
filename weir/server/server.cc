#include "weir/server/server.h"

#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/server/listener.h"
#include "weir/server/log.h"
#include "weir/server/reloader.h"
#include "weir/server/worker.h"

namespace weir::server {
namespace {

using boost::system::error_code;

constexpr auto kLookEvery = std::chrono::seconds(1);
/// How often it is looked whether the last connection has gone.
constexpr auto kDrainPoll = std::chrono::milliseconds(20);

/// Each connection takes a descriptor, and systems give few unless asked.
void ask_for_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == wanted) return;
  log_line(fmt::format("the system lets us have {} file descriptors, too few for all of --max-connections",
                       limit.rlim_cur));
}

EngineOptions engine_options(const ServerOptions& options, Nanos now) {
  EngineOptions engine;
  engine.store.max_keys = options.max_keys;
  engine.store.max_memory = options.max_memory;
  engine.store.frame = TimeFrame::starting_at(now);
  return engine;
}

}  // namespace

/// The control loop (accepting, signals, the watch, the end) runs on the caller's thread, all requests on the
/// workers'.
class Server::Parts {
 public:
  Parts(const ServerOptions& options, std::string_view version, const std::shared_ptr<const Policy>& policy)
      : options_(options),
        version_(version),
        clock_(read_system_clocks()),
        engine_(policy, engine_options(options, clock_.at(read_system_clocks()))),
        reloader_(engine_, clock_, options.policy, identities_of(Reloader::watched(options.policy, *policy))),
        shared_{engine_, clock_, options_, [this] { return metrics(); }},
        signals_(loop_),
        look_timer_(loop_),
        drain_timer_(loop_) {}

  Status open() {
    if (Status status = open_doors(); !status) return status;
    constexpr std::size_t kOtherDescriptors = 64;
    constexpr std::size_t kDescriptorsOfThread = 4;
    const unsigned threads =
        options_.threads != 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(shared_));
    ask_for_descriptors(options_.max_connections + threads * kDescriptorsOfThread + kOtherDescriptors);
    return Done{};
  }

  void run() {
    std::signal(SIGPIPE, SIG_IGN);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signal);
    wait_for_signal();
    reloader_.start();
    for (const auto& worker : workers_) worker->start();
    for (const auto& listener : listeners_) listener->start();
    look_later();
    log_start();
    loop_.run();
    for (const auto& worker : workers_) worker->stop();
    if (reloader_.stop()) return;
    // A thread that reads what never comes can't be ended but with the process.
    log_line("the policy was still being read");
    std::_Exit(0);
  }

 private:
  /// A door that nobody asked for stays shut when its port is another program's.
  Status open_doors() {
    for (const auto& [door, where] : options_.doors) {
      auto listener = std::make_unique<Listener>(door, loop_, shared_, workers_);
      if (Status status = listener->open(where); status) {
        listeners_.push_back(std::move(listener));
      } else if (where.required) {
        return status;
      } else {
        log_line(fmt::format("no {}: {}", name_of(door), status.error().message));
      }
    }
    return Done{};
  }

  std::string metrics() const {
    std::vector<const ThreadCounters*> counters;
    counters.reserve(workers_.size() + listeners_.size());
    for (const auto& listener : listeners_) counters.push_back(&listener->counters());
    for (const auto& worker : workers_) counters.push_back(&worker->counters());
    std::vector<DoorKind> doors;
    for (const auto& listener : listeners_) doors.push_back(listener->door());
    return metrics_text(counters, doors, engine_, reloader_.counts(), version_);
  }

  void log_start() const {
    const std::size_t rules = engine_.policy()->rules().size();
    std::string doors;
    for (const auto& listener : listeners_) doors += (doors.empty() ? "" : ", ") + listener->endpoint();
    log_line(fmt::format("serving {} with {} ({} {}), at most {} keys, {} {}", doors,
                         printable(options_.policy, 4096), with_thousands(rules),
                         rules == 1 ? "rule" : "rules", with_thousands(engine_.store_stats().max_keys),
                         workers_.size(), workers_.size() == 1 ? "thread" : "threads"));
  }

  void wait_for_signal() {
    signals_.async_wait([this](const error_code& error, int signal) {
      if (error) return;
      if (signal != SIGHUP) {
        drain();
      } else if (!shared_.draining) {
        reloader_.reload_now();
      }
      wait_for_signal();
    });
  }

  void look_later() {
    look_timer_.expires_after(kLookEvery);
    look_timer_.async_wait([this](const error_code& error) {
      if (error) return;
      reloader_.look();
      look_later();
    });
  }

  void drain() {
    // The next one does what it does to any program. SIGHUP, which would end us, is still taken.
    error_code ignored;
    for (const int signal : {SIGTERM, SIGINT}) signals_.remove(signal, ignored);
    shared_.draining = true;
    for (const auto& listener : listeners_) listener->close();
    look_timer_.cancel();
    for (const auto& worker : workers_) worker->drain();
    drain_until_ = saturating_add(read_time_since_boot(), options_.drain);
    wait_for_connections();
  }

  void wait_for_connections() {
    const std::size_t left = shared_.connections.load();
    const bool late = read_time_since_boot() >= drain_until_;
    if (left > 0 && late) {
      log_line(fmt::format("closing {} that did not finish in {}",
                           left == 1 ? "1 connection" : with_thousands(left) + " connections",
                           format_duration(options_.drain)));
    }
    if (left == 0 || late) return loop_.stop();
    drain_timer_.expires_after(kDrainPoll);
    drain_timer_.async_wait([this](const error_code& error) {
      if (!error) wait_for_connections();
    });
  }

  ServerOptions options_;
  std::string version_;
  ServerClock clock_;
  Engine engine_;
  Reloader reloader_;
  Shared shared_;
  boost::asio::io_context loop_{1};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer look_timer_;
  boost::asio::steady_timer drain_timer_;
  Nanos drain_until_ = 0;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options, std::string_view version) {
  if (Status status = Reloader::can_be_read_again(options.policy); !status) return status.error();
  Result<Policy> policy = Policy::load(options.policy);
  if (!policy) return policy.error();
  auto parts =
      std::make_unique<Parts>(options, version, std::make_shared<const Policy>(std::move(policy).value()));
  if (Status status = parts->open(); !status) return status.error();
  return std::make_unique<Server>(std::move(parts));
}

void Server::run() {
  parts_->run();
}

}  // namespace weir::server
