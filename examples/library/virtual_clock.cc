// A test of your own code: a day passes at once, and always in the same way.
#include <cstdio>
#include <memory>

#include "weir/weir.h"

using namespace std::chrono_literals;

int main() {
  const auto clock = std::make_shared<weir::VirtualClock>();
  weir::RateLimiter gifts{weir::fixed_window(1, weir::per(weir::CalendarUnit::day)), {.clock = clock}};

  std::printf("first: %s\n", gifts.check("mira") ? "given" : "refused");
  std::printf("again: %s\n", gifts.check("mira") ? "given" : "refused");
  gifts.acquire_then("mira", {}, [&](const weir::Waited&) {
    const auto hours = (clock->now() - weir::VirtualClock::kStart) / 1h;
    std::printf("waited: given after %d h\n", static_cast<int>(hours));
  });
  clock->advance(48h);  // what is due in between runs in here
  std::printf("two days on: %s\n", gifts.check("mira") ? "given" : "refused");
}
