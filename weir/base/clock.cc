#include "weir/base/clock.h"

#include <chrono>
#ifdef __linux__
#include <ctime>
#endif

namespace weir {

ClockReading read_system_clocks() {
  using namespace std::chrono;
  const Nanos wall = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  return {wall, read_time_since_boot()};
}

Nanos read_time_since_boot() {
#ifdef __linux__
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);  // CLOCK_MONOTONIC would stop while the machine sleeps
  return boot.tv_sec * kSecond + boot.tv_nsec;
#else
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace weir
