// A cost that is known only afterwards: hold the most it can be, settle what it was.
#include <cstdio>

#include "weir/weir.h"

using namespace std::chrono_literals;

int main() {
  weir::RateLimiter tokens{weir::token_bucket(10'000, weir::per(24h))};
  const auto left = [&] { return static_cast<unsigned long long>(tokens.peek("mira").remaining); };

  auto held = tokens.reserve("mira", weir::Cost{4000}, 60s);
  std::printf("held: %llu left\n", left());
  held.commit(weir::Cost{1500});
  std::printf("1500 used: %llu left\n", left());
  {
    auto failed = tokens.reserve("mira", weir::Cost{4000}, 60s);
    std::printf("held again: %llu left\n", left());
  }  // nobody committed: it goes back
  std::printf("given back: %llu left\n", left());
  std::printf("a second commit: %s\n", held.commit() == weir::Settlement::nothing ? "nothing" : "charged");
}
