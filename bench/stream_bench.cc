// How fast one core reads logs: every format on 64 MB of made-up lines in memory, with the fields that people
// ask for.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/text.h"
#include "weir/stream/log_stream.h"
#include "weir/stream/time_order.h"

namespace weir {
namespace {

constexpr std::size_t kLogBytes = std::size_t{64} << 20U;
constexpr int kRounds = 5;

/// `line` called with 0, 1, 2, … until there is enough.
std::string make_log(std::string text, const std::function<std::string(std::uint64_t)>& line) {
  text.reserve(kLogBytes + 1'000);
  for (std::uint64_t i = 0; text.size() < kLogBytes; ++i) text += line(i) + '\n';
  return text;
}

std::string two(std::uint64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string clock_time(std::uint64_t i) {
  const std::uint64_t second = i / 50;
  return two(second / 3'600 % 24) + ':' + two(second / 60 % 60) + ':' + two(second % 60);
}

std::string address(std::uint64_t i) {
  const std::uint64_t mixed = i * 2'654'435'761U;
  return "198.18." + std::to_string(mixed >> 8U & 255U) + '.' + std::to_string(mixed >> 16U & 255U);
}

std::string combined_line(std::uint64_t i) {
  return address(i) + " - - [17/May/2015:" + clock_time(i) + " +0000] \"GET /articles/" +
         std::to_string(i % 5'000) + "/index.html?page=" + std::to_string(i % 7) + " HTTP/1.1\" 200 " +
         std::to_string(i % 90'000) +
         " \"https://www.example.com/articles/\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 "
         "(KHTML, like Gecko) "
         "Chrome/120.0.0.0 Safari/537.36\"";
}

std::string json_line(std::uint64_t i) {
  return R"({"time":"2015-05-17T)" + clock_time(i) +
         R"(.25Z","level":"info","req":{"method":"GET","path":"/articles/)" + std::to_string(i % 5'000) +
         R"(","headers":{"host":"www.example.com","accept":"text/html"}},"ip":")" + address(i) +
         R"(","status":200,"bytes":)" + std::to_string(i % 90'000) + R"(,"duration":0.0)" +
         std::to_string(i % 977) + "}";
}

std::string csv_line(std::uint64_t i) {
  return "2015-05-17T" + clock_time(i) + "Z," + address(i) + ",GET,/articles/" + std::to_string(i % 5'000) +
         ",200," + std::to_string(i % 90'000) + ",\"Mozilla/5.0 (X11, Linux)\"";
}

std::string syslog_line(std::uint64_t i) {
  return "Mar 27 " + clock_time(i) + " ip-10-77-20-248 sshd[" + std::to_string(i % 30'000) +
         "]: Failed password for invalid user admin from " + address(i) + " port " +
         std::to_string(i % 60'000) + " ssh2";
}

/// What this program has used of a core, in seconds: other programs on the machine do not count.
double cpu_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Seconds of the fastest of some rounds.
double fastest(const std::function<void()>& work) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

void print_rate(std::string_view name, double seconds, std::size_t bytes, std::uint64_t records) {
  const auto per_second = [seconds](double amount) {
    return with_thousands(static_cast<std::uint64_t>(amount / seconds));
  };
  std::printf("stream %s %s MB/s %s records/s\n", std::string(name).c_str(),
              per_second(static_cast<double>(bytes) / 1e6).c_str(),
              per_second(static_cast<double>(records)).c_str());
}

void bench_reader(std::string_view name, const std::string& log, const std::string& format,
                  const std::vector<std::string>& fields) {
  std::uint64_t records = 0;
  std::uint64_t malformed = 0;
  std::size_t value_bytes = 0;
  const double seconds = fastest([&] {
    Result<LogStream> stream = LogStream::open_memory(log, {.format = format});
    std::vector<FieldId> ids;
    for (const std::string& field : fields) ids.push_back(*stream->want(field));
    Record record;
    while (stream->next(record)) {
      for (const FieldId id : ids) value_bytes += record.field(id).value_or("").size();
    }
    records = stream->counts().records;
    malformed = stream->counts().malformed;
  });
  if (malformed > 0 || (value_bytes == 0 && !fields.empty()))
    std::printf("stream %s is broken\n", std::string(name).c_str());
  print_rate(name, seconds, log.size(), records);
}

void bench_order(std::string_view name, std::size_t memory) {
  constexpr std::uint64_t kEvents = 1'000'000;
  const std::string bytes(56, 'x');
  std::uint64_t out = 0;
  const double seconds = fastest([&] {
    CompleteOrder order(memory);
    out = 0;
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      const auto jitter = static_cast<Nanos>(i * 7'919 % 60);
      if (!order.add({static_cast<Nanos>(i / 50) + jitter, bytes})) return;
    }
    for (auto next = order.next(); next.ok() && next->has_value(); next = order.next()) ++out;
  });
  if (out != kEvents) std::printf("stream %s is broken\n", std::string(name).c_str());
  print_rate(name, seconds, kEvents * bytes.size(), kEvents);
}

void run() {
  const std::string combined = make_log("", combined_line);
  bench_reader("lines", combined, "lines", {"line"});
  bench_reader("combined", combined, "combined", {"ip", "status"});
  bench_reader("combined-path", combined, "combined", {"ip", "method", "path"});
  bench_reader("common", combined, "common", {"ip", "status"});
  bench_reader("regex", combined, R"(regex:^(?P<ip>\S+) \S+ \S+ \[[^]]*\] "(?P<method>\S+) (?P<path>\S+))",
               {"ip", "path"});
  const std::string json = make_log("", json_line);
  bench_reader("json", json, "json", {"ip", "status"});
  bench_reader("json-dotted", json, "json", {"ip", "req.headers.host"});
  const std::string csv = make_log("time,ip,method,path,status,bytes,user_agent\n", csv_line);
  bench_reader("csv", csv, "csv", {"ip", "status"});
  bench_reader("syslog", make_log("", syslog_line), "syslog", {"ip", "user"});
  bench_order("order-in-memory", std::size_t{1} << 30U);
  bench_order("order-on-disk", std::size_t{8} << 20U);
}

}  // namespace
}  // namespace weir

int main() {
  weir::run();
}
