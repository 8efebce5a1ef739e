#include "weir/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "weir/base/text.h"
#include "weir/base/wide.h"
#include "weir/replay/report_text.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 500ms;
constexpr auto kRefresh = 200ms;

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  std::uint64_t divisor = 1;
  while (unit + 1 < kUnits.size() && bytes / divisor >= 1000) {
    divisor *= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  return fmt::format("{}.{} {}", bytes / divisor, bytes % divisor * 10 / divisor, kUnits[unit]);
}

std::uint64_t per_second(std::uint64_t count, Nanos elapsed) {
  return elapsed <= 0
             ? 0
             : static_cast<std::uint64_t>(Wide{count} * kSecond / static_cast<std::uint64_t>(elapsed));
}

/// Time left, when `done` of `total` took `elapsed`.
std::string left_text(std::uint64_t done, std::uint64_t total, Nanos elapsed) {
  if (done == 0 || done >= total) return {};
  const Wide left = Wide{static_cast<std::uint64_t>(elapsed)} * (total - done) / done;
  if (left > static_cast<Wide>(kForever)) return {};
  const Nanos seconds = ceil_seconds(static_cast<Nanos>(left));
  return "  " + rough_duration(seconds * kSecond) + " left";
}

}  // namespace

std::string progress_line(const InputProgress& progress, Nanos elapsed) {
  const std::string speed = with_thousands(per_second(progress.records, elapsed)) + " records/s";
  if (!progress.reading) {
    return fmt::format("read {}, decided {} of {} records  {}", bytes_text(progress.bytes),
                       with_thousands(progress.given_out), with_thousands(progress.records), speed);
  }
  if (progress.total_bytes == 0) return fmt::format("read {}  {}", bytes_text(progress.bytes), speed);
  return fmt::format("{:3}%  {} of {}  {}{}",
                     static_cast<std::uint64_t>(mul_div_floor(progress.bytes, 100, progress.total_bytes)),
                     bytes_text(progress.bytes), bytes_text(progress.total_bytes), speed,
                     left_text(progress.bytes, progress.total_bytes, elapsed));
}

Progress::Progress()
    : on_terminal_(::isatty(STDERR_FILENO) == 1), start_(Clock::now()), next_(start_ + kPatience) {}

void Progress::update(const InputProgress& progress) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kRefresh;
  shown_ = true;
  const Nanos elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(now - start_).count();
  fmt::print(stderr, "\r{}\x1b[K", progress_line(progress, elapsed));
  std::fflush(stderr);
}

void Progress::erase() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace weir
