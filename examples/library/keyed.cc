// A bucket for each key: strings, numbers, and lists of them.
#include <array>
#include <cstdio>

#include "weir/weir.h"

using namespace std::chrono_literals;

int main() {
  weir::RateLimiter logins{weir::sliding_log(3, weir::per(1min))};
  int tries = 0;
  while (logins.check("mira")) ++tries;
  std::printf("mira tried %d times; tomo may try: %s\n", tries, logins.check("tomo") ? "yes" : "no");

  // Parts are kept apart by their lengths; a cost is spelled out.
  weir::RateLimiter trades{weir::fixed_window(100, weir::per(weir::CalendarUnit::day))};
  const weir::Outcome said = trades.check({"guild", 7, "gold"}, weir::Cost{30});
  std::printf("the guild has %llu of %llu left today\n", static_cast<unsigned long long>(said.remaining),
              static_cast<unsigned long long>(said.limit));

  // Both or none: a trade counts for the one who gives and the one who takes.
  const std::array<weir::Key, 2> both{weir::Key("mira"), weir::Key("tomo")};
  std::printf("trade: %s\n", trades.check_all(both) ? "done" : "refused");

  // Many at one instant, cheaper than one by one.
  const std::array<weir::Key, 3> keys{weir::Key(1), weir::Key(2), weir::Key(1)};
  std::array<weir::Outcome, 3> outcomes;
  trades.check_each(keys, outcomes, weir::Cost{60});
  for (const weir::Outcome& one : outcomes) std::printf("%s\n", one ? "admitted" : "denied");
}
