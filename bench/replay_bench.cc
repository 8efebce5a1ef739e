// How fast a log is replayed, end to end: a million records of a combined log in a temporary file under a
// small policy, and which share of the time goes to reading, sorting and deciding. A replay runs on one
// core, so that processor time is what counts: it does not depend on who else is at work.
//
//   replay_bench [RECORDS]

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <random>
#include <string>

#include "weir/base/text.h"
#include "weir/replay/policy_dimensions.h"
#include "weir/replay/replay.h"

namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr std::string_view kPolicy = R"(domain: bench
rules:
  - {name: flood, key: [ip], limit: {quota: 2, per: 1s, burst: 40}}
  - {name: login, match: {method: POST, endpoint: /login}, key: [ip], limit: {algorithm: sliding_log, quota: 5, per: 1m}}
  - {name: pages, match: {endpoint: "/wiki/*"}, key: [ip], limit: {algorithm: fixed_window, quota: 100, per: 1h}}
)";

/// A file that is gone when the program is.
class TemporaryFile {
 public:
  TemporaryFile() {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) std::exit(1);
    ::close(descriptor);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/weir_replay_bench_XXXXXX";
};

/// A hundred requests a second of ten thousand addresses; the seconds of each minute shuffled, as real logs
/// have it.
void write_log(const std::string& path, std::uint64_t records) {
  std::ofstream log(path);
  std::mt19937_64 random(1);
  std::array<char, 256> line{};
  for (std::uint64_t i = 0; i < records; ++i) {
    const std::uint64_t minute = i / 6000;
    const std::uint64_t who = random() % 10'000;
    const bool login = random() % 20 == 0;
    std::snprintf(line.data(), line.size(),
                  "10.0.%u.%u - - [17/May/2015:%02u:%02u:%02u +0000] \"%s %s%u HTTP/1.1\" 200 5120 \"-\" "
                  "\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\"\n",
                  static_cast<unsigned>(who / 250), static_cast<unsigned>(who % 250),
                  static_cast<unsigned>(minute / 60 % 24), static_cast<unsigned>(minute % 60),
                  static_cast<unsigned>(random() % 60), login ? "POST" : "GET",
                  login ? "/login?n=" : "/wiki/page", static_cast<unsigned>(random() % 1000));
    log << line.data();
  }
}

weir::LogStream open_log(const std::string& path) {
  weir::LogOptions options;
  options.format = "combined";
  return std::move(weir::LogStream::open({path}, options)).value();
}

double seconds_of_reading(const std::string& path, const weir::Policy& policy) {
  weir::LogStream log = open_log(path);
  for (const std::string& name : weir::dimensions_of(policy)) {
    static_cast<void>(log.want(name == "endpoint" ? "path" : name));
  }
  const double start = processor_seconds();
  weir::Record record;
  while (log.next(record)) continue;
  return processor_seconds() - start;
}

struct Times {
  double whole = 0;
  double deciding = 0;
  std::uint64_t requests = 0;
};

Times replay(const std::string& path, const std::shared_ptr<const weir::Policy>& policy) {
  const double start = processor_seconds();
  auto input = std::move(weir::ReplayInput::open(open_log(path), weir::dimensions_of(*policy), {})).value();
  auto event = input.next();  // reads and sorts all of it
  weir::Replay replay(policy, input.frame(), weir::fitted({}, *input.events(), policy->rules().size()));
  const double sorted = processor_seconds();
  for (; event && *event; event = input.next()) replay.decide_all(**event);
  const weir::ReplayReport report = replay.report(10);
  const double end = processor_seconds();
  return {end - start, end - sorted, report.requests};
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t records = argc > 1 ? weir::parse_uint(argv[1]).value_or(0) : 1'000'000;
  if (records == 0) {
    std::fprintf(stderr, "replay_bench: \"%s\" is not a number of records\n", argv[1]);
    return 2;
  }
  const TemporaryFile file;
  write_log(file.path(), records);
  const auto policy = std::make_shared<const weir::Policy>(std::move(weir::Policy::parse(kPolicy)).value());
  std::array<Times, 3> runs;
  for (Times& run : runs) run = replay(file.path(), policy);
  std::sort(runs.begin(), runs.end(), [](const Times& a, const Times& b) { return a.whole < b.whole; });
  const Times& median = runs[1];
  const double reading = seconds_of_reading(file.path(), *policy);
  std::printf("replay end to end: %.0f records/s (%llu requests in %.3f s)\n",
              static_cast<double>(records) / median.whole, static_cast<unsigned long long>(median.requests),
              median.whole);
  std::printf("  reading:  %4.1f %%\n", 100 * reading / median.whole);
  std::printf("  sorting:  %4.1f %%\n",
              100 * std::max(0.0, median.whole - median.deciding - reading) / median.whole);
  std::printf("  deciding: %4.1f %%\n", 100 * median.deciding / median.whole);
  return 0;
}
