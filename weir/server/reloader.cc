#include "weir/server/reloader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "weir/base/text.h"
#include "weir/server/log.h"

namespace weir::server {
namespace {

bool same_limits(const Rule& a, const Rule& b) {
  const auto same = [](const RuleLimit& x, const RuleLimit& y) {
    return x.unlimited == y.unlimited && (x.unlimited || x.limit == y.limit) &&
           x.bucket_name == y.bucket_name;
  };
  return a.key == b.key && a.action == b.action && a.cost == b.cost && a.charge_denied == b.charge_denied &&
         std::equal(a.limits.begin(), a.limits.end(), b.limits.begin(), b.limits.end(), same);
}

/// "added a, b and 3 more", behind a comma if something stands before it.
void append_names(std::string& out, std::string_view what, const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return;
  out += out.empty() ? "" : ", ";
  out += what;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    out += i == 0 ? " " : ", ";
    out += printable(names[i]);
  }
  if (names.size() > kShown) out += fmt::format(" and {} more", names.size() - kShown);
}

/// Whether a file could be opened at all.
bool has_descriptors() {
  const int probe = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (probe >= 0) ::close(probe);
  return probe >= 0 || (errno != EMFILE && errno != ENFILE);
}

}  // namespace

std::string difference(const Policy& before, const Policy& after) {
  std::unordered_map<std::string_view, const Rule*> old;
  for (const Rule& rule : before.rules()) old.emplace(rule.name, &rule);
  std::vector<std::string_view> added;
  std::vector<std::string_view> changed;
  for (const Rule& rule : after.rules()) {
    const auto found = old.find(rule.name);
    if (found == old.end()) {
      added.push_back(rule.name);
      continue;
    }
    if (!same_limits(*found->second, rule)) changed.push_back(rule.name);
    old.erase(found);
  }
  std::vector<std::string_view> removed;
  for (const Rule& rule : before.rules()) {
    if (old.contains(rule.name)) removed.push_back(rule.name);
  }
  std::string text;
  append_names(text, "added", added);
  append_names(text, "removed", removed);
  append_names(text, "changed the limits of", changed);
  return text.empty() ? "no limit changed" : text;
}

Reloader::Reloader(Engine& engine, const ServerClock& clock, std::string path,
                   std::vector<FileIdentity> loaded_files)
    : engine_(engine),
      clock_(clock),
      path_(std::move(path)),
      read_(std::move(loaded_files)),
      seen_(read_),
      loaded_at_(clock.at(read_system_clocks())) {}

Reloader::~Reloader() {
  wish(Wish::stop);
  if (thread_.joinable()) thread_.join();
}

void Reloader::start() {
  ended_ = false;
  thread_ = std::thread([this] {
    run();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    has_ended_.notify_all();
  });
}

bool Reloader::stop() {
  wish(Wish::stop);
  std::unique_lock lock(mutex_);
  return has_ended_.wait_for(lock, std::chrono::seconds(1), [&] { return ended_; });
}

void Reloader::reload_now() {
  wish(Wish::reload);
}

void Reloader::look() {
  wish(Wish::look);
}

/// The strongest wish stands.
void Reloader::wish(Wish wish) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = std::max(wish_, wish);
  }
  wished_.notify_one();
}

void Reloader::run() {
  for (;;) {
    Wish wish = Wish::none;
    {
      std::unique_lock lock(mutex_);
      wished_.wait(lock, [&] { return wish_ != Wish::none; });
      wish = std::exchange(wish_, Wish::none);
    }
    if (wish == Wish::stop) return;
    if (wish == Wish::reload) {
      reload(identities_of(watched(path_, *engine_.policy())), Asked::by_user);
    } else {
      look_at_files();
    }
  }
}

std::vector<std::filesystem::path> Reloader::watched(const std::string& path, const Policy& policy) {
  std::vector<std::filesystem::path> paths{path};
  paths.insert(paths.end(), policy.files().begin(), policy.files().end());
  return paths;
}

void Reloader::look_at_files() {
  std::vector<FileIdentity> now = identities_of(watched(path_, *engine_.policy()));
  const bool settled = now == seen_;
  seen_ = now;
  if (settled && (now != read_ || !problem_.empty())) reload(std::move(now), Asked::by_change);
}

Status Reloader::can_be_read_again(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
      std::filesystem::is_directory(status)) {
    return Done{};
  }
  return Error{
      fmt::format("{}: this is neither a file nor a folder; a server reads its policy again, so a pipe "
                  "or a device will not do",
                  printable(path, 4096))};
}

/// Errors are sentences.
Result<std::shared_ptr<const Policy>> Reloader::load() const {
  if (Status status = can_be_read_again(path_); !status) return status.error();
  Result<Policy> loaded = Policy::load(path_);
  if (loaded) return std::make_shared<const Policy>(std::move(loaded).value());
  if (!has_descriptors()) {
    return Error{
        fmt::format("{}: there are no more file descriptors to read it with", printable(path_, 4096))};
  }
  return loaded.error();
}

void Reloader::reload(std::vector<FileIdentity> files, Asked asked) {
  read_ = std::move(files);
  std::string problem;
  try {
    const auto policy = load();
    if (policy) return take(*policy);
    problem = policy.error().message;
  } catch (const std::exception& error) {
    problem = fmt::format("{}: {}", printable(path_, 4096), error.what());
  }
  if (problem == problem_ && asked == Asked::by_change) return;
  problem_ = problem;
  ++failed_;
  log_line(fmt::format("the policy was not reloaded, and the one before stays: {}", problem));
}

void Reloader::take(const std::shared_ptr<const Policy>& policy) {
  const std::shared_ptr<const Policy> before = engine_.policy();
  // Tables may be other ones now; a change since they were read is seen at the next look.
  if (!std::equal(before->files().begin(), before->files().end(), policy->files().begin(),
                  policy->files().end())) {
    read_ = identities_of(watched(path_, *policy));
  }
  const Nanos now = clock_.at(read_system_clocks());
  engine_.reload(policy, now);
  problem_.clear();
  loaded_at_ = now;
  ++ok_;
  log_line(fmt::format("reloaded {}: {}", printable(path_, 4096), difference(*before, *policy)));
}

ReloadCounts Reloader::counts() const {
  return {.ok = ok_.load(), .failed = failed_.load(), .loaded_at = loaded_at_.load()};
}

}  // namespace weir::server
