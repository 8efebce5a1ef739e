#include "weir/base/clock.h"

#include <chrono>
#ifdef __linux__
#include <ctime>
#endif

namespace weir {

ClockReading read_system_clocks() {
  using namespace std::chrono;
  const Nanos wall = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
#ifdef __linux__
  timespec boot{};
  clock_gettime(CLOCK_BOOTTIME, &boot);  // CLOCK_MONOTONIC would stop while the machine sleeps
  return {wall, boot.tv_sec * kSecond + boot.tv_nsec};
#else
  return {wall, duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count()};
#endif
}

}  // namespace weir
