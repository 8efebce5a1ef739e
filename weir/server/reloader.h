// Reloader: brings a changed policy into a running engine, or says why not. Works on a thread of its own, so
// that nobody waits while a large policy is read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "weir/base/clock.h"
#include "weir/base/result.h"
#include "weir/engine/engine.h"
#include "weir/server/file_watch.h"
#include "weir/server/metrics/exposition.h"

namespace weir::server {

/// What is different between two policies, for people: "added a, removed b, changed the limits of c", or
/// "no limit changed".
std::string difference(const Policy& before, const Policy& after);

class Reloader {
 public:
  /// `loaded_files`: what the engine's policy was read from, as it was just before.
  Reloader(Engine& engine, const ServerClock& clock, std::string path,
           std::vector<FileIdentity> loaded_files);
  ~Reloader();
  Reloader(const Reloader&) = delete;
  Reloader& operator=(const Reloader&) = delete;

  void start();
  /// Ends the thread, and waits a second for that. Whether it has ended.
  bool stop();
  /// Reads the policy again, changed or not.
  void reload_now();
  /// Reads it again if its files, or the tables that it names, have changed and are as they were at the last
  /// look: a file that is being written is left alone until that is done. What failed is tried again at each
  /// look, and said again when something else is wrong. To be called about once a second.
  void look();

  ReloadCounts counts() const;
  /// Refuses pipes and devices: reading one may never end.
  static Status can_be_read_again(const std::string& path);
  /// The files whose change is a change of `policy`, which is at `path`.
  static std::vector<std::filesystem::path> watched(const std::string& path, const Policy& policy);

 private:
  enum class Wish : std::uint8_t { none, look, reload, stop };

  void run();
  void wish(Wish wish);
  void look_at_files();
  enum class Asked : std::uint8_t { by_change, by_user };
  void reload(std::vector<FileIdentity> files, Asked asked);
  Result<std::shared_ptr<const Policy>> load() const;
  void take(const std::shared_ptr<const Policy>& policy);

  Engine& engine_;
  const ServerClock& clock_;
  std::string path_;
  /// As they were when the policy was last read, and at the last look.
  std::vector<FileIdentity> read_;
  std::vector<FileIdentity> seen_;
  std::atomic<std::uint64_t> ok_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<Nanos> loaded_at_;
  /// What the last reload failed of; empty when it did not.
  std::string problem_;
  std::mutex mutex_;  // guards wish_ and ended_
  std::condition_variable wished_;
  Wish wish_ = Wish::none;
  bool ended_ = true;
  std::condition_variable has_ended_;
  std::thread thread_;
};

}  // namespace weir::server
