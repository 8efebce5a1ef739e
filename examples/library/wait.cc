// Waiting: blocked, called back, called off.
#include <cstdio>
#include <future>
#include <stop_token>

#include "weir/weir.h"

using namespace std::chrono_literals;

int main() {
  weir::RateLimiter calls{weir::token_bucket(1, weir::per(20ms))};
  int made = 0;
  for (int i = 0; i < 3; ++i) made += calls.acquire() ? 1 : 0;
  std::printf("made %d calls\n", made);

  // What can't be there in time is said at once.
  weir::RateLimiter daily{weir::token_bucket(1, weir::per(24h))};
  (void)daily.check();
  std::printf("%s\n", daily.acquire({.within = 1s}).end == weir::WaitEnd::too_late ? "too late" : "?");

  // No thread sleeps for this one; it is called off, and has charged nothing.
  std::stop_source stop;
  std::promise<weir::WaitEnd> ended;
  daily.acquire_then({.stop = stop.get_token()},
                     [&](const weir::Waited& waited) { ended.set_value(waited.end); });
  stop.request_stop();
  std::printf("%s\n", ended.get_future().get() == weir::WaitEnd::cancelled ? "cancelled" : "?");
}
