// One limit for everybody: ten at once, then five each ten seconds.
#include <cstdio>

#include "weir/weir.h"

using namespace std::chrono_literals;

int main() {
  weir::RateLimiter mails{weir::token_bucket(5, weir::per(10s)).burst(10)};
  int sent = 0;
  for (int i = 0; i < 12; ++i) {
    const weir::Outcome said = mails.check();
    if (said.admitted()) {
      ++sent;
      continue;
    }
    std::printf("sent %d; the next in %lld s\n", sent,
                static_cast<long long>(said.retry_after.whole_seconds().count()));
    break;
  }
  // Ten can't be had at once more than there are: no wait helps, and it can't be read as one.
  std::printf("eleven at once: %s\n", mails.check(weir::Cost{11}).retry_after.is_never() ? "never" : "later");
}
